import { type Config, readConfig } from './config.ts'
import { ConfigError } from './faults.ts'
import type { Environment } from './reader.ts'

/** `EX_CONFIG` of sysexits.h: the configuration is invalid, and restarting will not help. */
const badConfigExitCode = 78

/** Reads all settings, or prints every fault on its own line and exits. */
export function readConfigOrExit(env: Environment): Config {
  return readOrExit(readConfig, env)
}

/** Reads some settings, or prints every fault and exits. */
export function readOrExit<T>(read: (env: Environment) => T, env: Environment): T {
  try {
    return read(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = [...error.faults, ...error.warnings].map((line) => `  ${line}`)
    console.error(`The configuration is at fault:\n${lines.join('\n')}`)
    process.exit(badConfigExitCode)
  }
}
