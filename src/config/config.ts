import { parseTrustedProxies, type TrustedProxies } from '../limit/client-key.ts'
import type { Policy } from '../limit/decision.ts'
import type { RedisOptions } from '../limit/redis-options.ts'
import { type Environment, EnvironmentReader, type ValueType } from './reader.ts'
import { readTracing, type TracingSettings } from './tracing.ts'
import {
  anyText,
  databaseUrl,
  flag,
  host,
  hostAndPort,
  line,
  listOf,
  oneOf,
  origin,
  pem,
  port,
  redisUrl,
  secretText,
  utcDateTime,
  wholeNumber,
} from './types.ts'

/** Where a listener listens. */
export interface Listen {
  host: string
  port: number
}

/** Certificates of the internal listener, as PEM text. `ca` is what client certificates must be signed by. */
export interface InternalTls {
  cert: string
  key: string
  ca: string
  /** The paths of those that came from files, which may be renewed. */
  files: { cert?: string; key?: string; ca?: string }
}

/** The deprecation of `/api/leads` and, once announced, its removal. */
export interface LegacySchedule {
  deprecatedAt: Date
  sunset: { announcedAt: Date; at: Date } | undefined
}

/** Every setting of the service, checked. */
export interface Config {
  public: Listen
  internal: Listen & { tls: InternalTls | undefined }
  ops: Listen
  /** The public origin, without a trailing slash. */
  baseUrl: string
  databaseUrl: string
  redis: RedisOptions | undefined
  trustedProxies: TrustedProxies
  corsOrigins: readonly string[]
  ratePolicy: Policy
  rateLimitSecret: string | undefined
  /** Undefined: consent records are not sealed. */
  consentSealKey: string | undefined
  replicas: number
  duplicateWindowHours: number
  acceptTestLeads: boolean
  legacy: LegacySchedule
  retentionDays: number | undefined
  business: { name: string; phone: string; email: string; serviceArea: string }
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  drainSeconds: number
  /** Undefined: no traces. */
  tracing: TracingSettings | undefined
}

/** The notice that a removal needs (specification, Versioning 4): 365 days, not a calendar year. */
const noticeMs = 365 * 86_400_000

const trustedProxyList: ValueType<TrustedProxies> = {
  expected: 'a comma-separated list of CIDRs, addresses, "loopback", "linklocal" or "uniquelocal"',
  parse: parseTrustedProxies,
}

/**
 * Reads and checks every setting; the README's table says what each means. Pure but for the files that `*_FILE` names.
 * Throws a `ConfigError` that names every bad variable at once.
 */
export function readConfig(env: Environment): Config {
  const read = new EnvironmentReader(env)
  const publicPort = read.value('PORT', port) ?? 8080
  const config: Config = {
    public: { host: read.value('HOST', host) ?? '0.0.0.0', port: publicPort },
    internal: readInternal(read),
    ops: { host: read.value('OPS_HOST', host) ?? '0.0.0.0', port: read.value('OPS_PORT', port) ?? 9100 },
    baseUrl: read.value('BASE_URL', origin) ?? `http://localhost:${publicPort}`,
    databaseUrl: read.secret('DATABASE_URL', databaseUrl) ?? 'sqlite:data/leads.db',
    redis: readRedis(read),
    trustedProxies: read.value('TRUSTED_PROXIES', trustedProxyList) ?? parseTrustedProxies(''),
    corsOrigins: read.value('CORS_ORIGINS', listOf(origin, 'origins such as "https://www.example.org"')) ?? [],
    ratePolicy: {
      limit: read.value('RATE_LIMIT', wholeNumber('requests', 1, 1_000_000)) ?? 10,
      windowSeconds: read.value('RATE_LIMIT_WINDOW_SECONDS', wholeNumber('seconds', 1, 86_400)) ?? 60,
    },
    rateLimitSecret: read.secret('RATE_LIMIT_SECRET', secretText),
    consentSealKey: read.secret('CONSENT_SEAL_KEY', secretText),
    replicas: read.value('REPLICAS', wholeNumber('replicas', 1, 10_000)) ?? 1,
    duplicateWindowHours: read.value('DUPLICATE_WINDOW_HOURS', wholeNumber('hours', 0, 8_760)) ?? 24,
    acceptTestLeads: (read.value('TEST_LEADS', oneOf('reject', 'accept')) ?? 'reject') === 'accept',
    legacy: readLegacy(read),
    retentionDays: read.value('LEAD_RETENTION_DAYS', wholeNumber('days', 1, 36_500)),
    business: {
      name: read.value('BUSINESS_NAME', line) ?? 'Bright Home Cleaning',
      phone: read.value('BUSINESS_PHONE', line) ?? '(202) 555-0100',
      email: read.value('BUSINESS_EMAIL', line) ?? 'hello@brighthome.example',
      serviceArea: read.value('BUSINESS_SERVICE_AREA', line) ?? 'Springfield and nearby towns',
    },
    logLevel: read.value('LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')) ?? 'info',
    drainSeconds: read.value('DRAIN_SECONDS', wholeNumber('seconds', 0, 20)) ?? 5,
    tracing: readTracing(read),
  }
  read.finish()
  return config
}

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|::1)$/

function readInternal(read: EnvironmentReader): Config['internal'] {
  const listen = {
    host: read.value('INTERNAL_HOST', host) ?? '127.0.0.1',
    port: read.value('INTERNAL_PORT', port) ?? 9090,
  }
  const names = { cert: 'INTERNAL_TLS_CERT', key: 'INTERNAL_TLS_KEY', ca: 'INTERNAL_TLS_CLIENT_CA' } as const
  const [cert, key, ca] = [names.cert, names.key, names.ca].map((name) => read.secret(name, pem))
  const insecure = read.value('INTERNAL_INSECURE', flag) ?? false
  if (cert && key && ca) {
    const paths = Object.entries(names).map(([part, name]) => [part, read.filePath(name)])
    return { ...listen, tls: { cert, key, ca, files: Object.fromEntries(paths.filter(([, path]) => path)) } }
  }
  const all = Object.values(names).join(', ')
  if (cert || key || ca) {
    read.fault(`${all}: expected all three or none`)
  } else if (!loopbackHost.test(listen.host) && !insecure) {
    read.fault(
      `INTERNAL_HOST: expected a loopback address while ${all} are not set; set INTERNAL_INSECURE=true if a mesh or a NetworkPolicy guards the port`,
    )
  }
  return { ...listen, tls: undefined }
}

function readRedis(read: EnvironmentReader): RedisOptions | undefined {
  const url = read.secret('REDIS_URL', redisUrl)
  const nodes = read.value('REDIS_CLUSTER_NODES', listOf(hostAndPort(6379), 'HOST:PORT'))
  const sentinels = read.value('REDIS_SENTINELS', listOf(hostAndPort(26_379), 'HOST:PORT'))
  const name = read.value('REDIS_SENTINEL_NAME', line)
  const username = read.value('REDIS_USERNAME', line)
  const password = read.secret('REDIS_PASSWORD', anyText)
  const sentinelPassword = read.secret('REDIS_SENTINEL_PASSWORD', anyText)
  const tls = read.value('REDIS_TLS', flag) ?? false

  if ([url, nodes, sentinels].filter((given) => given !== undefined).length > 1) {
    return read.fault('REDIS_URL, REDIS_CLUSTER_NODES, REDIS_SENTINELS: expected at most one of them')
  }
  if ((sentinels === undefined) !== (name === undefined)) {
    return read.fault('REDIS_SENTINELS, REDIS_SENTINEL_NAME: expected both or neither')
  }
  if (url) return { kind: 'single', url }
  if (nodes) return { kind: 'cluster', nodes, username, password, tls }
  if (sentinels && name) return { kind: 'sentinel', sentinels, name, username, password, sentinelPassword, tls }
  return undefined
}

function readLegacy(read: EnvironmentReader): LegacySchedule {
  const deprecatedAt = read.value('LEGACY_DEPRECATED_AT', utcDateTime) ?? new Date('2026-01-01T00:00:00Z')
  const announcedAt = read.value('LEGACY_SUNSET_ANNOUNCED_AT', utcDateTime)
  const at = read.value('LEGACY_SUNSET_AT', utcDateTime)
  if (!announcedAt || !at) {
    if (announcedAt || at) read.fault('LEGACY_SUNSET_ANNOUNCED_AT, LEGACY_SUNSET_AT: expected both or neither')
    return { deprecatedAt, sunset: undefined }
  }
  if (at.getTime() - announcedAt.getTime() < noticeMs) {
    read.fault('LEGACY_SUNSET_AT: expected at least 365 days after LEGACY_SUNSET_ANNOUNCED_AT')
  }
  if (at < deprecatedAt)
    read.fault('LEGACY_SUNSET_AT: expected a time that is not before LEGACY_DEPRECATED_AT (RFC 9745 §4)')
  return { deprecatedAt, sunset: { announcedAt, at } }
}
