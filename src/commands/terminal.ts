import { createInterface } from 'node:readline'

// What all commands have in common. Exit codes are those of sysexits.h.

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Behind `head`, the reader has closed the pipe: that ends the printing, not the work.
  if (error.code === 'EPIPE') return
  console.error(error.message)
  process.exitCode = 74
})

/** Prints, and waits if the reader is slower. False: no one reads any more. */
export function print(text: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)))
}

/** Prints what the command expects, and exits with `EX_USAGE`. */
export function exitWithUsage(usage: string): never {
  console.error(usage)
  process.exit(64)
}

/** Parses the command line. Prints `usage` for `--help`, or before what is wrong, and exits. */
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

/** Asks on the terminal, or reads the answer from a pipe. Only `y` and `yes` agree. */
export async function agrees(question: string): Promise<boolean> {
  process.stderr.write(question)
  for await (const answer of createInterface(process.stdin)) return /^y(es)?$/i.test(answer.trim())
  return false
}
