import { ConfigError, type Environment } from './reader.ts'

/** `EX_CONFIG` of sysexits.h: the configuration is invalid, and restarting will not help. */
export const badConfigExitCode = 78

/** Reads settings with `readConfig` or `readInternal`, or prints every fault on its own line and exits. */
export function readOrExit<T>(read: (env: Environment) => T, env: Environment): T {
  try {
    return read(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    exitWithFaults([...error.faults, ...error.warnings])
  }
}

/** Prints each fault on its own line and exits. */
export function exitWithFaults(faults: readonly string[]): never {
  const lines = faults.map((line) => `  ${line}`)
  console.error(`Invalid configuration:\n${lines.join('\n')}`)
  process.exit(badConfigExitCode)
}
