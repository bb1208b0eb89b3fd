import { moveToPostgres } from '../store/move.ts'
import { exitWithUsage, readArgument, runOnFile } from './terminal.ts'

// `npm run move -- postgres://…`: copies the SQLite database of `DATABASE_URL` into an empty PostgreSQL database, while
// the service is stopped. Exits with 1 if the old file is still the one to use.

const usage = 'Usage: npm run move -- postgres://…'
const target = readArgument(usage)
if (!/^postgres(ql)?:\/\//.test(target)) exitWithUsage(usage)
await runOnFile('Not moved', async (path) => {
  const copied = Object.entries(await moveToPostgres(path, target))
  console.log(`Copied and counted again: ${copied.map(([table, count]) => `${count} in ${table}`).join(', ')}.
Start the service with the new DATABASE_URL. Consumers go on with their cursors. Then remove the old file, which holds personal data.`)
})
