import { migrate } from '../store/open.ts'
import { run } from './run.ts'

// The migration job. Replicas migrate at their start too; the job does it once, before them.
await run('The database schema could not be brought up to date', async ({ databaseUrl }) => {
  await migrate(databaseUrl)
  console.log('The database schema is up to date.')
})
