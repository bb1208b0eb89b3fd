import { setFlagsFromString } from 'node:v8'
import { createApp } from './app/app.ts'
import { describeService } from './app/banner.ts'
import { StartError } from './app/start-error.ts'
import { readConfigOrExit } from './config/config.ts'
import type { Environment } from './config/reader.ts'
import { createLog } from './ops/log.ts'

// V8 would guess what lives long, by chance (docs/decisions/measurements.md, What V8 runs faster).
setFlagsFromString('--no-allocation-site-pretenuring')

/** Runs the service until SIGTERM or SIGINT, which can arrive twice: from the terminal, and from the parent process. */
async function main(env: Environment, isLocal: boolean): Promise<void> {
  // With `npm start`, accept test data, and stop at once on Ctrl-C.
  const local = { ...env, TEST_LEADS: env.TEST_LEADS || 'accept', DRAIN_SECONDS: env.DRAIN_SECONDS || '0' }
  const config = readConfigOrExit(isLocal ? local : env)
  const { log, flush, linesDropped } = await createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  async function fail(error: unknown): Promise<never> {
    // The operator can fix this, so print only what to do, without a stack.
    if (error instanceof StartError) log.fatal(error.message)
    else log.fatal({ err: error }, 'unexpected error, exiting')
    await flush()
    process.exit(1)
  }
  // By default, Node prints the message of the error, which may contain what a customer sent.
  process.on('uncaughtException', fail)
  const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<NodeJS.Signals>()
  process.on('SIGTERM', requestStop).on('SIGINT', requestStop)
  try {
    const app = await createApp(config, log, { linesDropped })
    const addresses = await app.start()
    log.info({ addresses, baseUrl: config.baseUrl }, 'listening')
    // The person who started it is looking now, so print the banner before any request is logged.
    await flush()
    if (isLocal) console.log(describeService(config, addresses))
    log.info({ signal: await stopRequested }, 'stopping')
    const hasClosed = await app.stop()
    log.info('stopped')
    await flush()
    // Replaces the process: `exit` would wait up to ten seconds for SQLite's threads.
    if (!hasClosed) process.execve?.(process.execPath, [process.execPath, '--eval', ''])
    process.exit(0)
  } catch (error) {
    await fail(error)
  }
}

await main(process.env, process.argv.includes('--local'))
