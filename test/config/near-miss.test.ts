import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findNearMisses } from '../../src/config/near-miss.ts'
import { settings } from '../../src/config/settings.ts'

const find = (...variables: string[]) =>
  findNearMisses(settings, Object.fromEntries(variables.map((variable) => [variable, 'x'])))

/** Variables of shells, desktops, containers, clusters, CI and other programs. */
const others = `
  HOME HOSTNAME HOSTS HOSTTYPE HISTFILE HISTSIZE LANG LC_ALL LESS LOGNAME LS_COLORS MAIL MANPATH OLDPWD OSTYPE PAGER PATH PWD SHELL SHLVL
  TERM TERMINFO TMPDIR TZ USER USERNAME VISUAL EDITOR DISPLAY XDG_RUNTIME_DIR SSH_AUTH_SOCK SSH_CONNECTION GPG_TTY
  PORTS SORT POST GHOST API_PORT APP_PORT APP_HOST WEB_PORT WEB_HOST HTTP_PORT DB_PORT DB_HOST WS_PORT TCP_PORT GRPC_PORT UDP_PORT EXTERNAL_HOST EXTERNAL_PORT
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy host port name
  NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_VERSION YARN_VERSION npm_config_cache npm_package_name npm_lifecycle_event
  PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB REDIS_HOST REDIS_PORT REDIS_DB REDIS_TTL
  REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT_6379_TCP KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT POD_NAME POD_IP NODE_NAME
  CI GITHUB_TOKEN GITHUB_SHA GITHUB_BASE_REF RUNNER_OS DOCKER_HOST COMPOSE_PROJECT_NAME DATABASE_HOST DATABASE_NAME BASE_PATH BASE_IMAGE LOG_FORMAT LOG_FILE
  SENTRY_DSN STRIPE_KEY API_KEY SSH_KEY SMTP_HOST SMTP_PORT MAIL_HOST AWS_REGION AWS_ACCESS_KEY_ID INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS
  OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_METRICS_EXPORTER OTEL_LOGS_EXPORTER OTEL_PROPAGATORS OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_BLRP_MAX_QUEUE_SIZE OTEL_BLRP_SCHEDULE_DELAY
`
  .trim()
  .split(/\s+/)

suite('an unknown variable', () => {
  for (const [variable, meant] of [
    ['RATELIMIT', 'RATE_LIMIT'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['Rate_Limit', 'RATE_LIMIT'],
    ['RAET_LIMIT', 'RATE_LIMIT'],
    ['RATE_LMT', 'RATE_LIMIT'],
    ['BASEURL', 'BASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['LOG_LVL', 'LOG_LEVEL'],
    ['REPLICA', 'REPLICAS'],
    ['TEST_LEAD', 'TEST_LEADS'],
    ['BUSINESS_PHNOE', 'BUSINESS_PHONE'],
    ['CONSENT_SEAL_KEYS', 'CONSENT_SEAL_KEY'],
    ['INTERNAL_TLS_CA', undefined],
    ['PROT', 'PORT'],
    ['BUSINESS_NAME_FILE', 'BUSINESS_NAME'],
  ] as const) {
    test(meant ? `${variable} was probably meant to be ${meant}` : `${variable} is too far from any`, () => {
      assert.deepEqual(find(variable), meant ? [{ variable, meant }] : [])
    })
  }

  test('is not reported when it belongs to another program', () => {
    assert.deepEqual(find(...others), [])
  })

  test('is not reported when it is a setting, or the file of a secret', () => {
    assert.deepEqual(find(...Object.keys(settings), 'DATABASE_URL_FILE', 'STOP_KEY_FILE'), [])
  })
})
