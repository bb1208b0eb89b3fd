import { readConfigOrExit } from './config/read-or-exit.ts'
import { migrate } from './store/open.ts'

// The migration job: brings the schema up to date and ends. Every replica does the same at its start; a job does it once, before them.
const { databaseUrl } = readConfigOrExit(process.env)
try {
  await migrate(databaseUrl)
  console.log('The database schema is up to date.')
} catch (error) {
  // A StoreError holds no secret; whatever else it is, its name says as much as anyone can use here.
  console.error(
    `The database schema could not be brought up to date: ${error instanceof Error ? error.message : error}`,
  )
  process.exitCode = 1
}
