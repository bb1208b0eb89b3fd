import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pino from 'pino'
import { createApp } from '../../src/app/app.ts'
import type { Overrides } from '../../src/app/core.ts'
import { readConfig } from '../../src/config/config.ts'
import { describeError } from '../../src/ops/log.ts'
import { newFolder } from './folder.ts'
import { freePorts } from './ports.ts'

/** A service in this process, on its own loopback ports. */
export type Service = Awaited<ReturnType<typeof startService>>

/** An environment for a test's own service: SQLite in a folder that `dispose` removes. */
export async function serviceEnv(env: Record<string, string> = {}) {
  const folder = newFolder()
  const [port, internalPort, opsPort] = await freePorts(3)
  const all: Record<string, string> = {
    ...{ PORT: `${port}`, INTERNAL_PORT: `${internalPort}`, OPS_PORT: `${opsPort}` },
    ...{ HOST: '127.0.0.1', OPS_HOST: '127.0.0.1', TRUSTED_PROXIES: 'loopback' },
    ...{ TEST_LEADS: 'accept', DRAIN_SECONDS: '0', DATABASE_URL: `sqlite:${join(folder, 'leads.db')}` },
    ...env,
  }
  return {
    env: all,
    url: `http://127.0.0.1:${all.PORT}`,
    internalUrl: `http://127.0.0.1:${all.INTERNAL_PORT}`,
    opsUrl: `http://127.0.0.1:${all.OPS_PORT}`,
    databaseUrl: all.DATABASE_URL as string,
    folder,
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Creates and starts a service. `BASE_URL` defaults to its own origin. */
export async function startService(env: Record<string, string> = {}, overrides: Overrides = {}) {
  const place = await serviceEnv(env)
  /** Its log so far, one JSON line each. */
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'info', serializers: { err: describeError } }, sink)
  const app = await createApp(readConfig({ BASE_URL: place.url, ...place.env }), log, overrides)
  await app.start()
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= app.stop().finally(place.dispose))
  return { ...place, log: () => lines.join(''), stop, [Symbol.asyncDispose]: stop }
}
