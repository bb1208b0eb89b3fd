import { migrate } from '../store/open.ts'
import { run } from './terminal.ts'

// The migration job, which runs once before the replicas. They also migrate when they start.
await run('The database schema could not be brought up to date', 1, async ({ databaseUrl }) => {
  await migrate(databaseUrl)
  console.log('The database schema is up to date.')
})
