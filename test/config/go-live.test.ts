import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { findNearMisses } from '../../src/config/near-miss.ts'
import { ConfigError } from '../../src/config/reader.ts'
import { settings } from '../../src/config/settings.ts'
import { faultsOf } from './faults.ts'

/** Fictional: the exchange 555 is not assigned to people, and `.internal` is not a public domain. */
const business = {
  BUSINESS_NAME: 'Sample Cleaning',
  BUSINESS_PHONE: '(202) 555-2368',
  BUSINESS_EMAIL: 'office@sample-cleaning.internal',
  BUSINESS_SERVICE_AREA: 'Sample County',
  BUSINESS_POSTAL_ADDRESS: '1 Sample Street, Sampletown',
}
const real = { BASE_URL: 'https://api.sample-cleaning.internal', ...business }
const key = 'sixteen-characters-and-more'
const advised = {
  STOP_KEY: key,
  CONSENT_SEAL_KEY: key,
  RATE_LIMIT_SECRET: key,
  SERVICE_PROVIDERS: 'Sample Hosting',
  BACKUP_DAYS: '30',
}

suite('a service with real leads', () => {
  test('refuses to start until every detail of the business is set', () => {
    assert.deepEqual(
      faultsOf({ BASE_URL: real.BASE_URL }).map((fault) => fault.split(':')[0]),
      Object.keys(business),
    )
    for (const name of Object.keys(business)) {
      const faults = faultsOf({ ...real, [name]: '' })
      assert.deepEqual(
        faults.map((fault) => fault.split(':')[0]),
        [name],
      )
    }
    assert.deepEqual(faultsOf(real), [])
  })

  for (const [name, value] of [
    ['BUSINESS_PHONE', '(202) 555-0100'],
    ['BUSINESS_PHONE', '(123) 456-7890'],
    ['BUSINESS_PHONE', 'call us'],
    ['BUSINESS_EMAIL', 'hello@brighthome.example'],
    ['BUSINESS_EMAIL', 'Hello@Example.COM'],
  ] as const) {
    test(`refuses ${name}=${value} without printing it`, () => {
      const [fault, ...more] = faultsOf({ ...real, [name]: value })
      assert.match(fault ?? '', new RegExp(`^${name}: expected a real `))
      assert.deepEqual(more, [])
      assert(!fault?.includes(value))
    })
  }

  test('warns about recommended settings, each with the consequence of not setting it', () => {
    const { warnings } = readConfig(real)
    assert.deepEqual(warnings.map((warning) => warning.split(' ')[0]).sort(), Object.keys(advised).sort())
    assert.deepEqual(readConfig({ ...real, ...advised }).warnings, [])
  })

  test('shows a misspelled variable next to the missing one', () => {
    const { BUSINESS_PHONE: phone, ...rest } = real
    assert.throws(
      () => readConfig({ ...rest, BUSINESS_PHNE: phone }),
      (error) =>
        error instanceof ConfigError &&
        error.warnings.join() === 'BUSINESS_PHNE: no setting has this name; did you mean BUSINESS_PHONE?',
    )
  })
})

suite('a service without real leads', () => {
  for (const env of [
    {},
    { BASE_URL: 'http://127.0.0.1:8080' },
    { BASE_URL: 'http://[::1]:8080' },
    { BASE_URL: 'http://leads.localhost' },
    { BASE_URL: 'https://staging.sample-cleaning.internal', TEST_LEADS: 'accept' },
  ]) {
    test(`starts with ${JSON.stringify(env)} and warns that an example business is shown`, () => {
      const { warnings } = readConfig(env)
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /^an example business is shown .*: set BUSINESS_NAME, /)
      assert.deepEqual(readConfig({ ...env, ...business }).warnings, [])
    })
  }
})

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
  test('is probably a setting that is one or two letters away', () => {
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
    ] as const)
      assert.deepEqual(find(variable), meant ? [{ variable, meant }] : [])
  })

  test('is not reported when it belongs to another program', () => {
    assert.deepEqual(find(...others), [])
  })

  test('is not reported when it is a setting, or the file of a secret', () => {
    assert.deepEqual(find(...Object.keys(settings), 'DATABASE_URL_FILE', 'STOP_KEY_FILE'), [])
  })
})
