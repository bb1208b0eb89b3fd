import { type Config, readConfigOrExit } from '../config/config.ts'
import { sqlitePath } from '../config/types.ts'
import { openExistingStore, type Store } from '../store/open.ts'
import { exitWithUsage, messageOf } from './terminal.ts'

// How the commands on the database run. Exit codes are those of sysexits.h.

/** Returns the only argument. Exits if there is none, or several. */
export function readArgument(usage: string): string {
  const [argument, ...more] = process.argv.slice(2)
  return argument === undefined || more.length > 0 ? exitWithUsage(usage) : argument
}

/** Does the work with the settings. If it fails, prints `failed` with the cause, and exits. */
export async function run(failed: string, work: (config: Config) => Promise<void>, exitCode = 1): Promise<void> {
  const config = readConfigOrExit(process.env)
  try {
    await work(config)
  } catch (error) {
    console.error(`${failed}: ${messageOf(error)}`)
    process.exit(exitCode)
  }
}

/** Does the work on the path of the SQLite database. Fails with `otherwise` if it is PostgreSQL. */
export async function runOnFile(failed: string, otherwise: string, work: (path: string) => Promise<void>) {
  await run(failed, async ({ databaseUrl }) => {
    const path = sqlitePath(databaseUrl)
    if (path === undefined) throw new Error(otherwise)
    await work(path)
  })
}

/** Does the work on the existing database. Exits with `EX_UNAVAILABLE` if it fails. */
export async function runOnStore(failed: string, work: (store: Store) => Promise<void>): Promise<void> {
  const onStore = async ({ databaseUrl }: Config) => {
    const store = await openExistingStore(databaseUrl)
    await work(store)
    await store.close()
  }
  await run(failed, onStore, 69)
}
