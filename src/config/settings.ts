import type { Settings, Values } from './reader.ts'
import * as types from './types.ts'

const invented = 'an invented one'

/** All settings of the service. docs/settings.md and the warnings about misspelled names are generated from it. */
export const settings = {
  PORT: { type: types.port, default: '8080', meaning: 'port of the public listener' },
  HOST: { type: types.host, default: '::', meaning: 'address of the public listener; `::` is every address' },
  INTERNAL_PORT: { type: types.port, default: '9090', meaning: 'port of the internal listener' },
  INTERNAL_HOST: { type: types.host, default: '127.0.0.1', meaning: 'address of the internal listener' },
  OPS_PORT: { type: types.port, default: '9100', meaning: 'port of the ops listener' },
  OPS_HOST: { type: types.host, default: '::', meaning: 'address of the ops listener' },
  BASE_URL: { type: types.origin, otherwise: '`http://localhost:$PORT`', meaning: 'public origin, used in every link' },
  TRUSTED_PROXIES: {
    type: types.trustedProxies,
    meaning:
      'trusted for `X-Forwarded-For`: CIDRs, addresses, `loopback`, `linklocal`, `uniquelocal`. Needed for https',
  },
  CORS_ORIGINS: { type: types.origins, meaning: 'origins of the website forms that may submit from a browser' },
  MAX_CONNECTIONS_PER_CLIENT: {
    type: types.wholeNumber('connections', 1, 65_535),
    default: '100',
    meaning: 'how many connections a client may have open on the public listener',
  },

  DATABASE_URL: {
    type: types.databaseUrl,
    default: 'sqlite:data/leads.db',
    secret: true,
    meaning: '`sqlite:PATH` (one process) or `postgres://…` (many replicas)',
  },
  DUPLICATE_WINDOW_HOURS: {
    type: types.wholeNumber('hours', 0, 8_760),
    default: '24',
    meaning: 'how long the same content counts as a duplicate (0: never), and a key is remembered (at least 24)',
  },
  LEAD_RETENTION_DAYS: {
    type: types.wholeNumber('days', 30, 36_500),
    meaning: '[erases](consent.md#erasure-and-retention) personal data older than this; none: it is kept',
  },
  TEST_LEADS: {
    type: types.oneOf('reject', 'accept'),
    default: 'reject',
    meaning: '`accept` takes reserved test data, as `npm start` does unless you set it',
  },

  REDIS_URL: {
    type: types.redisUrl,
    secret: true,
    meaning: 'the Redis of all replicas, as [a URL](operations.md#the-address-of-redis); none: each counts by itself',
  },
  RATE_LIMIT: {
    type: types.wholeNumber('requests', 1, 1_000_000),
    default: '10',
    meaning: 'how many submissions a client may send per window',
  },
  RATE_LIMIT_WINDOW_SECONDS: {
    type: types.wholeNumber('seconds', 1, 86_400),
    default: '60',
    meaning: 'length of the window in seconds',
  },
  RATE_LIMIT_SECRET: {
    type: types.secretText,
    secret: true,
    otherwise: 'one that is public',
    meaning: 'key that hashes client addresses in Redis, the same on every replica; at least 16 characters',
  },
  REPLICAS: {
    type: types.wholeNumber('replicas', 1, 10_000),
    default: '1',
    meaning: 'how many replicas share the limit; while Redis is down, each enforces its share',
  },

  LEGACY_DEPRECATED_AT: {
    type: types.utcDateTime,
    default: '2026-11-26T00:00:00Z',
    meaning: 'when `/api/leads` was deprecated',
  },
  LEGACY_SUNSET_ANNOUNCED_AT: {
    type: types.utcDateTime,
    meaning: 'when the removal of `/api/leads` was announced; set both or neither of this and `LEGACY_SUNSET_AT`',
  },
  LEGACY_SUNSET_AT: {
    type: types.utcDateTime,
    meaning: 'when `/api/leads` is removed, at least 365 days after the announcement',
  },

  INTERNAL_TLS_CERT: {
    type: types.certificate,
    secret: true,
    meaning: 'PEM certificate of the internal listener, which then demands client certificates. Renewed files are read',
  },
  INTERNAL_TLS_KEY: { type: types.privateKey, secret: true, meaning: 'PEM key of that certificate' },
  INTERNAL_TLS_CLIENT_CA: {
    type: types.certificate,
    secret: true,
    meaning: 'PEM certificate of the CA that signs client certificates',
  },
  INTERNAL_CALLERS: {
    type: types.callerList,
    otherwise: 'every certificate may submit and read',
    meaning:
      '[who may do what](inbox.md#who-may-call), for example `crm.internal=read+erase,site.internal=submit`. Needs `INTERNAL_TLS_*`',
  },
  INTERNAL_INSECURE: {
    type: types.oneOf('true', 'false'),
    default: 'false',
    meaning:
      '`true` allows an `INTERNAL_HOST` that is not loopback without `INTERNAL_TLS_*`: a mesh or a NetworkPolicy guards it',
  },

  BUSINESS_NAME: { type: types.line, otherwise: invented, meaning: 'name of the business, on pages and in documents' },
  BUSINESS_PHONE: { type: types.line, otherwise: invented, meaning: 'its phone number' },
  BUSINESS_EMAIL: { type: types.line, otherwise: invented, meaning: 'its e-mail address' },
  BUSINESS_SERVICE_AREA: { type: types.line, otherwise: invented, meaning: 'where it works, in words' },
  BUSINESS_POSTAL_ADDRESS: { type: types.line, otherwise: invented, meaning: 'its postal address, on one line' },
  CONSENT_WORDING_FILE: {
    type: types.consentWordingFile,
    otherwise: "the service's own wording",
    meaning:
      "file with the business's own consent wording; `{BUSINESS_NAME}` and `{BUSINESS_PHONE}` in it are replaced",
  },
  SERVICE_PROVIDERS: {
    type: types.line,
    meaning: 'who handles its leads (hosting, e-mail, texts), for the privacy notice',
  },
  BACKUP_DAYS: { type: types.wholeNumber('days', 0, 36_500), meaning: 'how long backups are kept (privacy notice)' },

  LOG_LEVEL: {
    type: types.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. JSON lines, but readable on a terminal',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    type: types.httpUrl,
    meaning:
      'collector of [traces](operations.md#traces), such as `http://collector:4318`; `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is the whole URL. With either, the other variables of the OpenTelemetry SDK are read too',
  },
  DRAIN_SECONDS: {
    type: types.wholeNumber('seconds', 0, 20),
    default: '5',
    meaning: 'how long a stopping replica serves on while balancers notice; by default 0 under `npm start`',
  },
} as const satisfies Settings

export type SettingValues = Values<typeof settings>
