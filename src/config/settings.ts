import { parseTrustedProxies, type TrustedProxies } from '../limit/client-key.ts'
import { callerList } from './callers.ts'
import type { Settings, ValueType } from './setting.ts'
import { tracingSettings } from './tracing.ts'
import {
  anyText,
  consentWordingFile,
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
  secretTexts,
  utcDateTime,
  wholeNumber,
} from './types.ts'

const trustedProxyList: ValueType<TrustedProxies> = {
  expected: 'a comma-separated list of CIDRs, addresses, "loopback", "linklocal" or "uniquelocal"',
  parse: parseTrustedProxies,
}

/** What the README says instead of a default where an invented business stands in. */
const invented = 'an invented one'

/** Every setting of the service. The README's table and the warnings about misspelled names are made from it. */
export const settings = {
  PORT: { type: port, default: '8080', meaning: 'port of the public listener' },
  HOST: { type: host, default: '0.0.0.0', meaning: 'address of the public listener' },
  INTERNAL_PORT: { type: port, default: '9090', meaning: 'port of the internal listener' },
  INTERNAL_HOST: {
    type: host,
    default: '127.0.0.1',
    meaning: 'address of the internal listener. One that is not loopback needs `INTERNAL_TLS_*` or `INTERNAL_INSECURE`',
  },
  OPS_PORT: { type: port, default: '9100', meaning: 'port of the ops listener' },
  OPS_HOST: { type: host, default: '0.0.0.0', meaning: 'address of the ops listener' },
  BASE_URL: { type: origin, otherwise: '`http://localhost:$PORT`', meaning: 'public origin, used in every link' },
  TRUSTED_PROXIES: {
    type: trustedProxyList,
    meaning: 'CIDRs, addresses, `loopback`, `linklocal`, `uniquelocal`: whose `X-Forwarded-For` is believed',
  },
  CORS_ORIGINS: {
    type: listOf(origin, 'origins such as "https://www.example.org"'),
    meaning: 'origins of the website forms that may submit from a browser',
  },
  MAX_CONNECTIONS_PER_CLIENT: {
    type: wholeNumber('connections', 1, 65_535),
    default: '256',
    meaning: 'connections that one client address may hold on the public listener; trusted proxies are exempt',
  },

  DATABASE_URL: {
    type: databaseUrl,
    default: 'sqlite:data/leads.db',
    secret: true,
    meaning: '`sqlite:PATH` (one process) or `postgres://…` (many replicas)',
  },
  DUPLICATE_WINDOW_HOURS: {
    type: wholeNumber('hours', 0, 8_760),
    default: '24',
    meaning: 'how long the same content is a duplicate (0: never); a key is remembered as long, at least 24',
  },
  LEAD_RETENTION_DAYS: {
    type: wholeNumber('days', 1, 36_500),
    meaning:
      'personal data older than this is erased; none: kept. Below five years, the start is logged with a warning',
  },
  CONSENT_SEAL_KEY: {
    type: secretTexts,
    secret: true,
    meaning:
      'seals the evidence of consent, so that `npm run consent:verify` finds changes by anyone who can write to the database. At least 16 characters, kept outside the database. To change it, put the new key first and the old ones after it, separated by commas',
  },
  STOP_KEY: {
    type: secretText,
    secret: true,
    meaning:
      'key of the list of people who want no contact, at least 16 characters, kept outside the database, never changed. None: stops cannot be recorded',
  },
  TEST_LEADS: {
    type: oneOf('reject', 'accept'),
    default: 'reject',
    meaning: '`accept` lets reserved test data through; `npm start` sets that unless you do',
  },

  REDIS_URL: {
    type: redisUrl,
    secret: true,
    meaning: '`redis://…` or `rediss://…`; none: the limit is counted in this process',
  },
  REDIS_CLUSTER_NODES: {
    type: listOf(hostAndPort(6379), 'HOST:PORT'),
    meaning: 'instead of a URL: `HOST:PORT,…` of a Redis Cluster',
  },
  REDIS_SENTINELS: {
    type: listOf(hostAndPort(26_379), 'HOST:PORT'),
    meaning: 'instead of a URL: `HOST:PORT,…` of the Sentinels',
  },
  REDIS_SENTINEL_NAME: { type: line, meaning: 'the name by which the Sentinels know the master' },
  REDIS_USERNAME: { type: line, meaning: 'for a Cluster and for Sentinels' },
  REDIS_PASSWORD: { type: anyText, secret: true, meaning: 'for a Cluster and for Sentinels' },
  REDIS_SENTINEL_PASSWORD: { type: anyText, secret: true, meaning: 'of the Sentinels themselves' },
  REDIS_TLS: { type: flag, default: 'false', meaning: 'TLS to a Cluster, or to Sentinels and their servers' },
  RATE_LIMIT: {
    type: wholeNumber('requests', 1, 1_000_000),
    default: '10',
    meaning: 'submissions per client and window',
  },
  RATE_LIMIT_WINDOW_SECONDS: {
    type: wholeNumber('seconds', 1, 86_400),
    default: '60',
    meaning: 'length of the window in seconds',
  },
  RATE_LIMIT_SECRET: {
    type: secretText,
    secret: true,
    otherwise: 'a public one',
    meaning: 'keys the hash of client networks in Redis, the same on every replica; at least 16 characters',
  },
  REPLICAS: {
    type: wholeNumber('replicas', 1, 10_000),
    default: '1',
    meaning: 'how many replicas share the limit: sizes the fallback when Redis is away',
  },
  INTAKE_CEILING_PER_MINUTE: {
    type: wholeNumber('submissions', 1, 1_000_000_000),
    meaning:
      'submissions per minute for all clients together (each replica enforces its share); beyond it they get 503 `overloaded`',
  },

  LEGACY_DEPRECATED_AT: {
    type: utcDateTime,
    default: '2026-01-01T00:00:00Z',
    meaning: 'when `/api/leads` was deprecated',
  },
  LEGACY_SUNSET_ANNOUNCED_AT: {
    type: utcDateTime,
    meaning: 'when the removal of `/api/leads` was announced; goes with `LEGACY_SUNSET_AT`',
  },
  LEGACY_SUNSET_AT: {
    type: utcDateTime,
    meaning: 'when `/api/leads` is removed, at least 365 days after the announcement',
  },

  INTERNAL_TLS_CERT: {
    type: pem,
    secret: true,
    meaning:
      'PEM certificate of the internal listener, which then demands client certificates. Files are read again when they are renewed',
  },
  INTERNAL_TLS_KEY: { type: pem, secret: true, meaning: 'PEM key of that certificate' },
  INTERNAL_TLS_CLIENT_CA: { type: pem, secret: true, meaning: 'PEM certificate of the CA of client certificates' },
  INTERNAL_CALLERS: {
    type: callerList,
    otherwise: 'every certificate may submit and read',
    meaning:
      'who may do what: `NAME=ROLE+ROLE,…`, for example `crm.internal=read+erase,site.internal=submit`. NAME is a DNS or URI name of the client certificate, ROLE is `submit`, `read` or `erase`. Needs `INTERNAL_TLS_*`',
  },
  INTERNAL_INSECURE: {
    type: flag,
    default: 'false',
    meaning:
      '`true`: an `INTERNAL_HOST` that is not loopback is fine without TLS, as a mesh or a NetworkPolicy guards it',
  },

  BUSINESS_NAME: { type: line, otherwise: invented, meaning: 'shown on pages and documents' },
  BUSINESS_PHONE: { type: line, otherwise: invented, meaning: 'shown on pages and documents' },
  BUSINESS_EMAIL: { type: line, otherwise: invented, meaning: 'shown on pages and documents' },
  BUSINESS_SERVICE_AREA: { type: line, otherwise: invented, meaning: 'shown on pages and documents' },
  BUSINESS_POSTAL_ADDRESS: {
    type: line,
    otherwise: invented,
    meaning: 'shown on pages and documents, in one line',
  },
  CONSENT_WORDING_FILE: {
    type: consentWordingFile,
    otherwise: "the service's own wording",
    meaning:
      "path of a text file with the business's own consent wording; `{BUSINESS_NAME}` and `{BUSINESS_PHONE}` in it are filled in",
  },
  SERVICE_PROVIDERS: {
    type: line,
    meaning: 'who handles leads for the business (hosting, e-mail, text messages), named in the privacy notice',
  },
  BACKUP_DAYS: {
    type: wholeNumber('days', 0, 36_500),
    meaning: 'how many days backups are kept, named in the privacy notice',
  },

  LOG_LEVEL: {
    type: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    meaning: 'JSON lines on stdout, human-readable on a terminal',
  },
  DRAIN_SECONDS: {
    type: wholeNumber('seconds', 0, 20),
    default: '5',
    meaning:
      'how long a stopping replica goes on serving while callers are sent elsewhere; `npm start` sets 0 unless you do',
  },
  ...tracingSettings,
} as const satisfies Settings
