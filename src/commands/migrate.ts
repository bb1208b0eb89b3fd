import { readConfigOrExit } from '../config/read-or-exit.ts'
import { migrate } from '../store/open.ts'

// The migration job: runs the migrations and exits. Replicas also migrate at their start; a job does it once, before
// them.
const { databaseUrl } = readConfigOrExit(process.env)
try {
  await migrate(databaseUrl)
  console.log('The database schema is up to date.')
} catch (error) {
  // A StoreError contains no secrets. For any other error, the name is all that is safe and useful.
  console.error(
    `The database schema could not be brought up to date: ${error instanceof Error ? error.message : error}`,
  )
  process.exitCode = 1
}
