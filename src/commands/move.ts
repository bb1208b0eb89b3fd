import { sqlitePath } from '../config/database-url.ts'
import { moveToPostgres } from '../store/move.ts'
import { exitWithUsage, readArgument, run } from './run.ts'

// `npm run move -- postgres://…`: copies the SQLite database of `DATABASE_URL` into an empty PostgreSQL database, while
// the service is stopped. Exit code 1: go on with the old file.

const usage = 'Usage: npm run move -- postgres://…'
const target = readArgument(usage)
if (!/^postgres(ql)?:\/\//.test(target)) exitWithUsage(usage)
await run('Not moved', async ({ databaseUrl }) => {
  const path = sqlitePath(databaseUrl)
  if (path === undefined) throw new Error('DATABASE_URL names no SQLite file')
  const copied = await moveToPostgres(path, target)
  const counts = Object.entries(copied).map(([table, count]) => `${count} in ${table}`)
  console.log(`Copied and counted again: ${counts.join(', ')}.`)
  console.log(
    'Start the service with the new DATABASE_URL. Consumers go on with their cursors. Then remove the old file, which holds personal data.',
  )
})
