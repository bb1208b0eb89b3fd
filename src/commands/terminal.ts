import { createInterface } from 'node:readline'

// How all commands read and print. Exit codes are those of sysexits.h.

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

/** Prints the usage, and exits with `EX_USAGE`. */
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
    return parse()
  } catch (error) {
    exitWithUsage(`${usage}\n\n${messageOf(error)}`)
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Asks, and reads the answer from the terminal or a pipe. Only `y` and `yes` agree. */
export async function agrees(question: string): Promise<boolean> {
  process.stderr.write(question)
  for await (const answer of createInterface(process.stdin)) return /^y(es)?$/i.test(answer.trim())
  return false
}
