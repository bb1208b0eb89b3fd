import { createInterface } from 'node:readline'
import { type Config, readConfigOrExit } from '../config/config.ts'
import { sqlitePath } from '../store/database.ts'
import { openExistingStore, type Store } from '../store/open.ts'

// How the commands on the database run. Exit codes are those of sysexits.h.

export function readArgument(usage: string): string {
  const [argument, ...more] = process.argv.slice(2)
  const isOption = argument !== '-' && argument?.startsWith('-')
  return argument === undefined || isOption || more.length > 0 ? exitWithUsage(usage) : argument
}

/** Does the work with the settings. If it fails, prints `failed` with the cause, and exits. */
export async function run(failed: string, exitCode: number, work: (config: Config) => Promise<void>): Promise<void> {
  const config = readConfigOrExit(process.env)
  try {
    await work(config)
  } catch (error) {
    console.error(`${failed}: ${messageOf(error)}`)
    process.exit(exitCode)
  }
}

/** Does the work on the path of the SQLite database. */
export async function runOnFile(failed: string, work: (path: string) => Promise<void>): Promise<void> {
  await run(failed, 1, async ({ databaseUrl }) => {
    const path = sqlitePath(databaseUrl)
    if (path !== undefined) return await work(path)
    throw new Error(
      'DATABASE_URL names no SQLite file: for PostgreSQL, use pg_dump and pg_restore (docs/operations.md)',
    )
  })
}

/** Does the work on the existing database. Exits with `EX_UNAVAILABLE` if it fails. */
export async function runOnStore(failed: string, work: (store: Store) => Promise<void>): Promise<void> {
  await run(failed, 69, async ({ databaseUrl }) => {
    const store = await openExistingStore(databaseUrl)
    await work(store)
    await store.close()
  })
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` has closed the pipe, which ends the printing but not the work.
  if (error.code === 'EPIPE') return
  console.error(error.message)
  process.exitCode = 74
})

/** Prints, and waits for a slow reader. Resolves to false if the reader has gone. */
export function print(text: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)))
}

export function exitWithUsage(usage: string): never {
  console.error(usage)
  process.exit(64)
}

/** Parses the command line, or prints `usage` for `--help` and for an error, and exits. */
export function parseOrExit<T>(usage: string, parse: () => T): T {
  if (process.argv.some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage)
    process.exit()
  }
  try {
    refuseOptionsKeptByNpm(usage)
    return parse()
  } catch (error) {
    exitWithUsage(`${usage}\n\n${messageOf(error)}`)
  }
}

/** npm keeps the options that are typed without a `--` before them, and passes them on as settings. */
function refuseOptionsKeptByNpm(usage: string): void {
  const { env, argv } = process
  const kept = [...usage.matchAll(/--([a-z-]+)(?: [A-Z]+)?/g)].filter(
    ([, name = '']) =>
      env[`npm_config_${name.replaceAll('-', '_')}`] && !argv.some((word) => word.startsWith(`--${name}`)),
  )
  if (kept.length === 0 || !env.npm_lifecycle_event) return
  const line = `npm run -s ${env.npm_lifecycle_event} -- ... ${[...new Set(kept.map(([text]) => text))].join(' ')}`
  throw new Error(`npm kept an option for itself, and nothing was done. Type two dashes before the rest: ${line}`)
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Whether to go on. Asks at a terminal, where only `y` and `yes` agree; elsewhere only `--yes` does. */
export async function agrees(isSure: boolean, question: string, otherwise: string): Promise<boolean> {
  if (isSure || (process.stdin.isTTY && (await ask(question)))) return true
  console.error(process.stdin.isTTY ? otherwise : `${otherwise} Nobody can answer here: add --yes if you are sure.`)
  process.exitCode = process.stdin.isTTY ? 1 : 2
  return false
}

async function ask(question: string): Promise<boolean> {
  // Nobody answers a question before reading it. In raw mode, the start of a line can be read away too.
  const typed: unknown[] = []
  process.stdin.setRawMode(true).on('data', (data) => typed.push(data))
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  process.stdin.setRawMode(false).removeAllListeners('data').pause()
  if (typed.length > 0) console.error('What you typed before the question was ignored.')
  process.stderr.write(question)
  const lines = createInterface(process.stdin)
  const answer = await new Promise<string>((resolve) => lines.once('line', resolve).once('close', () => resolve('')))
  // A terminal that is still read keeps the process alive, and takes the next line that is typed.
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
