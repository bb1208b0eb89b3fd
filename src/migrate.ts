import { readConfigOrExit } from './config/read-or-exit.ts'
import { migrate } from './store/open.ts'

// The migration job: brings the schema up to date and ends. Every replica does the same at its start; a job does it once, before them.
const { databaseUrl } = readConfigOrExit(process.env)
await migrate(databaseUrl)
console.log('The database schema is up to date.')
