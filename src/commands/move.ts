import { readConfigOrExit } from '../config/read-or-exit.ts'
import { moveToPostgres } from '../store/postgres/move.ts'

// `npm run move -- postgres://…`: copies the SQLite database of `DATABASE_URL` into an empty PostgreSQL database, while
// the service is stopped. Exit code 64 (`EX_USAGE` of sysexits.h): no URL. 1: nothing was copied.

const [target, ...more] = process.argv.slice(2)
if (!target?.match(/^postgres(ql)?:\/\//) || more.length > 0) {
  console.error('Usage: npm run move -- postgres://…')
  process.exit(64)
}
const { databaseUrl } = readConfigOrExit(process.env)
try {
  if (!databaseUrl.startsWith('sqlite:')) throw new Error('DATABASE_URL names no SQLite file')
  const rows = await moveToPostgres(databaseUrl.slice('sqlite:'.length), target)
  const counts = Object.entries(rows).map(([table, count]) => `${count} in ${table}`)
  console.log(`Copied and counted again: ${counts.join(', ')}.`)
  console.log(
    'Start the service with the new DATABASE_URL. Consumers go on with their cursors. Keep the old file away.',
  )
} catch (error) {
  console.error(`Nothing was copied: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
