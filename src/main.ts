import { StartError } from './app/start-error.ts'
import { createApp } from './app.ts'
import { describeService } from './banner.ts'
import { readConfigOrExit } from './config/read-or-exit.ts'
import type { Environment } from './config/reader.ts'
import { createLog } from './ops/log.ts'

/** For `npm start`: test data passes, and Ctrl-C takes effect at once. What the caller has set stays. */
function withLocalDefaults(env: Environment): Environment {
  return { ...env, TEST_LEADS: env.TEST_LEADS || 'accept', DRAIN_SECONDS: env.DRAIN_SECONDS || '0' }
}

/** Runs the service until SIGTERM or SIGINT; a second signal ends it at once. `isLocal`: for a person at a terminal. */
async function main(environment: Environment, isLocal: boolean): Promise<void> {
  const config = readConfigOrExit(isLocal ? withLocalDefaults(environment) : environment)
  const { log, flush, linesDropped } = await createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  async function fail(error: unknown): Promise<never> {
    // A person can mend this one: no stack beside what to do.
    if (error instanceof StartError) log.fatal(error.message)
    else log.fatal({ err: error }, 'cannot go on')
    await flush()
    process.exit(1)
  }
  // Node itself would print the message, which may quote what a customer sent.
  process.on('uncaughtException', fail)
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, (signal) => {
        resolve(signal)
        process.once(name, () => flush().then(() => process.exit(1)))
      })
    }
  })
  try {
    const app = await createApp(config, log, { linesDropped })
    const addresses = await app.start()
    const condition = await app.check()
    for (const trouble of condition.troubles) log.warn(trouble)
    log.info({ addresses, baseUrl: config.baseUrl, limiter: condition.limiterMode }, 'listening')
    // Whoever started it looks now; the lines of requests may wait.
    await flush()
    if (isLocal) console.log(describeService(config, addresses, condition))
    log.info({ signal: await stopped }, 'stopping')
    await app.stop()
  } catch (error) {
    await fail(error)
  }
  log.info('stopped')
  await flush()
  process.exit(0)
}

if (import.meta.main) await main(process.env, process.argv.includes('--local'))
