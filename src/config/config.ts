import { exampleBusiness, findWarnings, reportMissing } from './go-live.ts'
import { readInternal } from './internal.ts'
import { ConfigError, ConfigFaults, type Environment, findNearMisses, readSettings } from './reader.ts'
import { type SettingValues, settings } from './settings.ts'

export type Config = ReturnType<typeof readConfig>

/** The required notice before a removal (docs/specification.md §0): 365 days, not a calendar year. */
const noticeMs = 365 * 86_400_000

const trustsNobody = () => false

/** Reads and validates every setting. Throws a `ConfigError` that names all bad variables at once. */
export function readConfig(env: Environment) {
  const misspelled = findNearMisses(settings, env)
  const faults = new ConfigFaults()
  const given = readSettings(settings, env, faults)
  const traces = readTraces(given, env)
  const config = {
    public: { host: given.HOST, port: given.PORT },
    internal: readInternal(given, env, faults),
    ops: { host: given.OPS_HOST, port: given.OPS_PORT },
    /** The public origin, without a trailing slash. */
    baseUrl: given.BASE_URL ?? `http://localhost:${given.PORT}`,
    databaseUrl: given.DATABASE_URL,
    redis: given.REDIS_URL,
    trustedProxies: given.TRUSTED_PROXIES ?? trustsNobody,
    maxConnectionsPerClient: given.MAX_CONNECTIONS_PER_CLIENT,
    corsOrigins: given.CORS_ORIGINS ?? [],
    ratePolicy: { limit: given.RATE_LIMIT, windowSeconds: given.RATE_LIMIT_WINDOW_SECONDS },
    rateLimitSecret: given.RATE_LIMIT_SECRET,
    replicas: given.REPLICAS,
    duplicateWindowHours: given.DUPLICATE_WINDOW_HOURS,
    acceptTestLeads: given.TEST_LEADS === 'accept',
    /** Since when `/api/leads` is deprecated, and its removal, if one is scheduled. */
    legacy: readLegacy(given, faults),
    retentionDays: given.LEAD_RETENTION_DAYS,
    business: {
      name: given.BUSINESS_NAME ?? exampleBusiness.BUSINESS_NAME,
      phone: given.BUSINESS_PHONE ?? exampleBusiness.BUSINESS_PHONE,
      email: given.BUSINESS_EMAIL ?? exampleBusiness.BUSINESS_EMAIL,
      serviceArea: given.BUSINESS_SERVICE_AREA ?? exampleBusiness.BUSINESS_SERVICE_AREA,
      postalAddress: given.BUSINESS_POSTAL_ADDRESS ?? exampleBusiness.BUSINESS_POSTAL_ADDRESS,
      serviceProviders: given.SERVICE_PROVIDERS,
      backupDays: given.BACKUP_DAYS,
    },
    consentWording: given.CONSENT_WORDING_FILE,
    logLevel: given.LOG_LEVEL,
    sendsTraces: traces.isOn,
    drainSeconds: given.DRAIN_SECONDS,
    /** For the person who configured the service, one line each. They contain no secrets. */
    warnings: [...misspelled, ...traces.warnings, ...findWarnings(given)],
  }
  reportMissing(given, faults)
  // A misspelled name may explain why another variable is missing.
  const lines = [...faults.lines, ...misspelled]
  if (faults.lines.length > 0) throw new ConfigError(['Invalid configuration:', ...lines].join('\n  '))
  return config
}

export function readConfigOrExit(env: Environment): Config {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    // `EX_CONFIG` of sysexits.h: restarting will not help.
    process.exit(78)
  }
}

function readLegacy(given: SettingValues, faults: ConfigFaults) {
  const { LEGACY_DEPRECATED_AT: deprecatedAt, LEGACY_SUNSET_ANNOUNCED_AT: announcedAt, LEGACY_SUNSET_AT: at } = given
  if (!announcedAt || !at) {
    if (announcedAt || at) faults.add('LEGACY_SUNSET_ANNOUNCED_AT, LEGACY_SUNSET_AT', 'expected both or neither')
    return { deprecatedAt, removal: undefined }
  }
  if (at.getTime() - announcedAt.getTime() < noticeMs)
    faults.add('LEGACY_SUNSET_AT', 'expected at least 365 days after LEGACY_SUNSET_ANNOUNCED_AT')
  if (at < deprecatedAt)
    faults.add('LEGACY_SUNSET_AT', 'expected a time that is not before LEGACY_DEPRECATED_AT (RFC 9745 §4)')
  return { deprecatedAt, removal: { announcedAt, at } }
}

/** Whether OpenTelemetry's variables ask for spans, and a warning if they ask for something unsupported. */
export function readTraces(given: SettingValues, env: Environment): { isOn: boolean; warnings: string[] } {
  const read = (name: string) => env[name]?.trim().toLowerCase() || undefined
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  const hasAddress = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || given.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!hasAddress || read('OTEL_SDK_DISABLED') === 'true' || exporter === 'none') return { isOn: false, warnings: [] }
  if (exporter !== 'otlp')
    return { isOn: false, warnings: [`OTEL_TRACES_EXPORTER: expected otlp or none; no traces are sent to ${exporter}`] }
  const name = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(read)
  const isOther = name !== undefined && read(name) !== 'http/json'
  return { isOn: true, warnings: isOther ? [`${name}: traces are sent as http/json, the only supported protocol`] : [] }
}
