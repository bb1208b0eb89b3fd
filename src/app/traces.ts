import { basename } from 'node:path'
import type { Config } from '../config/config.ts'
import type { RedisOptions } from '../limit/redis-options.ts'
import type { Logger } from '../ops/log.ts'
import type { TracedBackend, Traces } from '../ops/spans.ts'
import { version } from '../version.ts'

/** Loads the tracing library on demand: a service without tracing should not pay for it. */
export async function openTraces(config: Config, log: Logger): Promise<Traces | undefined> {
  if (!config.tracing) return undefined
  const spans = await import('../ops/spans.ts')
  return spans.openTraces({
    settings: config.tracing,
    version,
    baseUrl: config.baseUrl,
    database: tracedDatabase(config.databaseUrl),
    redis: config.redis && { system: 'redis', ...tracedRedis(config.redis) },
    onError: (error) => log.warn({ err: error, status: statusOf(error) }, 'traces not sent'),
  })
}

/** The collector's HTTP status, if it answered. */
function statusOf(error: unknown): number | undefined {
  const { code, httpStatusCode } = error as { code?: unknown; httpStatusCode?: unknown }
  return [httpStatusCode, code].find((value) => typeof value === 'number')
}

/** The database's address, without user and password. */
function tracedDatabase(url: string): TracedBackend {
  if (url.startsWith('sqlite:')) return { system: 'sqlite', address: undefined, namespace: basename(url) }
  const { hostname, pathname } = new URL(url)
  return { system: 'postgresql', address: hostname, namespace: pathname.slice(1) }
}

function tracedRedis(options: RedisOptions): Omit<TracedBackend, 'system'> {
  if (options.kind !== 'single') return { address: undefined, namespace: '0' }
  const { hostname, pathname } = new URL(options.url)
  return { address: hostname, namespace: pathname.slice(1) || '0' }
}
