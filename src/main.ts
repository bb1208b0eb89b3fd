import { type Addresses, createApp } from './app.ts'
import type { Config } from './config/config.ts'
import { readConfigOrExit } from './config/read-or-exit.ts'
import type { Environment } from './config/reader.ts'
import { createLog } from './ops/log.ts'

/** Runs the service until SIGTERM or SIGINT; a second signal ends it at once. `announce` is told where it listens. */
export async function main(env: Environment, announce?: (config: Config, addresses: Addresses) => void): Promise<void> {
  const config = readConfigOrExit(env)
  const { log, flush } = await createLog(config.logLevel)
  process.on('exit', flush)
  for (const warning of config.warnings) log.warn(warning)
  function fail(error: unknown): never {
    log.fatal({ err: error }, 'cannot go on')
    process.exit(1)
  }
  // Node itself would print the message, which may quote what a customer sent.
  process.on('uncaughtException', fail)
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, (signal) => {
        resolve(signal)
        process.once(name, () => process.exit(1))
      })
    }
  })
  try {
    const app = await createApp(config, log)
    const addresses = await app.start()
    log.info({ addresses, baseUrl: config.baseUrl }, 'listening')
    announce?.(config, addresses)
    log.info({ signal: await stopped }, 'stopping')
    await app.stop()
  } catch (error) {
    fail(error)
  }
  log.info('stopped')
  process.exit(0)
}

if (import.meta.main) await main(process.env)
