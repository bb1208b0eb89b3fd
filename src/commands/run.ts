import { type Config, readConfig } from '../config/config.ts'
import { readOrExit } from '../config/read-or-exit.ts'
import { openExistingStore, type Store } from '../store/open.ts'

// What the commands on the database have in common. Exit codes are those of sysexits.h.

/** Prints what the command expects, and exits with `EX_USAGE`. */
export function exitWithUsage(usage: string): never {
  console.error(usage)
  process.exit(64)
}

/** The only argument. Exits if there is none, or several. */
export function readArgument(usage: string): string {
  const [argument, ...more] = process.argv.slice(2)
  return argument === undefined || more.length > 0 ? exitWithUsage(usage) : argument
}

/** Does the work with the settings. If it fails, prints `failed` with the cause, and exits. */
export async function run(failed: string, work: (config: Config) => Promise<void>, exitCode = 1): Promise<void> {
  const config = readOrExit(readConfig, process.env)
  try {
    await work(config)
  } catch (error) {
    console.error(`${failed}: ${error instanceof Error ? error.message : error}`)
    process.exit(exitCode)
  }
}

/** Does the work on the existing database. Exits with `EX_UNAVAILABLE` if it fails. */
export async function runOnStore(failed: string, work: (store: Store, config: Config) => Promise<void>): Promise<void> {
  const onStore = async (config: Config) => {
    const store = await openExistingStore(config.databaseUrl)
    await work(store, config)
    await store.close()
  }
  await run(failed, onStore, 69)
}
