import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/reader.ts'
import { createAuthority } from '../rpc/certificates.ts'
import { faultsOf } from './faults.ts'

const folder = mkdtempSync(join(tmpdir(), 'config-'))
after(() => rmSync(folder, { recursive: true }))

suite('readConfig', () => {
  test('accepts an empty environment', () => {
    const config = readConfig({})
    assert.deepEqual(config.public, { host: '0.0.0.0', port: 8080 })
    assert.deepEqual(config.internal, {
      host: '127.0.0.1',
      port: 9090,
      tls: undefined,
      callers: undefined,
      loopbackOnly: true,
    })
    assert.deepEqual(config.ops, { host: '0.0.0.0', port: 9100 })
    assert.equal(config.baseUrl, 'http://localhost:8080')
    assert.equal(config.databaseUrl, 'sqlite:data/leads.db')
    assert.equal(config.redis, undefined)
    assert.deepEqual(config.ratePolicy, { limit: 10, windowSeconds: 60 })
    assert.equal(config.acceptTestLeads, false)
    assert.equal(config.duplicateWindowHours, 24)
    assert.equal(config.legacy.deprecatedAt.toISOString(), '2026-01-01T00:00:00.000Z')
    assert.equal(config.legacy.sunset, undefined)
    assert.equal(config.drainSeconds, 5)
  })

  test('treats an empty variable as not set', () => {
    assert.deepEqual(readConfig({ REDIS_URL: '', PORT: ' ' }), readConfig({}))
  })

  const bad: Record<string, string[]> = {
    PORT: ['80a', '65536'],
    OPS_PORT: ['-1'],
    HOST: ['not a host'],
    BASE_URL: ['api.example.org', 'https://api.example.org/path', 'ftp://api.example.org'],
    DATABASE_URL: ['mysql://x', 'postgres://user:12/34@host/db'],
    REDIS_URL: ['localhost:6379', 'redis://user:12#34@host'],
    TRUSTED_PROXIES: ['10.0.0.0/33', 'everyone'],
    CORS_ORIGINS: ['*', 'https://a.example/path'],
    RATE_LIMIT: ['1O', '0', '1.5'],
    RATE_LIMIT_WINDOW_SECONDS: ['1m'],
    REPLICAS: ['0'],
    DUPLICATE_WINDOW_HOURS: ['-1'],
    TEST_LEADS: ['yes'],
    LEGACY_DEPRECATED_AT: ['2026-01-01'],
    LEAD_RETENTION_DAYS: ['0'],
    INTERNAL_INSECURE: ['1'],
    LOG_LEVEL: ['loud'],
    DRAIN_SECONDS: ['60'],
    REDIS_CLUSTER_NODES: ['redis://a'],
    RATE_LIMIT_SECRET: ['short'],
    CONSENT_SEAL_KEY: ['a-new-key-of-sixteen,short'],
    STOP_KEY: ['short'],
    INTAKE_CEILING_PER_MINUTE: ['0'],
    MAX_CONNECTIONS_PER_CLIENT: ['0'],
    BACKUP_DAYS: ['a month'],
    BUSINESS_POSTAL_ADDRESS: ['two\nlines'],
    CONSENT_WORDING_FILE: ['/nowhere/wording.txt'],
    INTERNAL_CALLERS: [
      'crm.internal',
      'crm.internal=write',
      'crm internal=read',
      '=read',
      'crm.internal=read,crm.internal=erase',
    ],
  }
  test('refuses a bad value and says what is expected', () => {
    for (const [variable, value] of Object.entries(bad).flatMap(([name, all]) =>
      all.map((one) => [name, one] as const),
    )) {
      const [fault, ...more] = faultsOf({ [variable]: value })
      assert.equal(more.length, 0)
      assert.match(fault ?? '', new RegExp(`^${variable}: expected .+; got `), value)
    }
  })

  test('names every bad variable at once', () => {
    const faults = faultsOf({ PORT: 'x', RATE_LIMIT: 'x', DATABASE_URL: 'x', INTERNAL_HOST: '0.0.0.0' })
    assert.deepEqual(
      faults.map((fault) => fault.split(':')[0]),
      ['PORT', 'DATABASE_URL', 'RATE_LIMIT', 'INTERNAL_HOST'],
    )
    assert(faults.includes('RATE_LIMIT: expected a whole number of requests, 1 to 1000000; got "x"'))
  })

  test('never prints a secret', () => {
    const secret = 'canary-secret'
    const faults = faultsOf({
      DATABASE_URL: `mysql://user:${secret}@host`,
      REDIS_URL: `http://:${secret}@host`,
      INTERNAL_TLS_KEY: secret,
      RATE_LIMIT_SECRET: 'canary',
    })
    assert(faults.length >= 4)
    assert(!faults.join().includes('canary'))
  })

  test('never prints a value with an at sign, because it may be a password in the wrong variable', () => {
    for (const name of ['REDIS_CLUSTER_NODES', 'REDIS_SENTINELS', 'BASE_URL', 'PORT']) {
      const [fault, ...more] = faultsOf({ [name]: 'xredis://user:canary@host:1/x?', REDIS_SENTINEL_NAME: 'm' })
      assert.match(fault ?? '', new RegExp(`^${name}: expected .+; got a value that is not shown`))
      assert(!`${fault}${more}`.includes('canary'))
    }
    assert(!faultsOf({ REDIS_CLUSTER_NODES: ':canary%40host' }).join().includes('canary'))
  })

  test('reports only the cause when one bad variable makes others look wrong', () => {
    assert.equal(faultsOf({ REDIS_SENTINELS: 'redis://a', REDIS_SENTINEL_NAME: 'm' }).length, 1)
    assert.equal(faultsOf({ LEGACY_SUNSET_ANNOUNCED_AT: 'soon', LEGACY_SUNSET_AT: '2028-01-01T00:00:00Z' }).length, 1)
  })

  test('reads the seal keys, the current one first', () => {
    const keys = ['a-new-key-of-sixteen', 'an-old-key-of-sixteen']
    assert.deepEqual(readConfig({ CONSENT_SEAL_KEY: keys.join(', ') }).consentSealKeys, keys)
    assert.deepEqual(readConfig({}).consentSealKeys, [])
  })

  test("reads the business's own consent wording, and refuses an unknown placeholder", () => {
    const path = join(folder, 'wording.txt')
    const read = (content: string | Buffer) => {
      writeFileSync(path, content)
      return readConfig({ CONSENT_WORDING_FILE: path }).consentWording
    }
    assert.equal(read('I ask {BUSINESS_NAME} to call me.\n'), 'I ask {BUSINESS_NAME} to call me.')
    for (const bad of [
      'I ask {NAME} to call me.',
      'I ask {BUSINESS_NAME',
      ' \n',
      'x'.repeat(5_001),
      Buffer.from([0xff]),
    ])
      assert.throws(() => read(bad), ConfigError)
  })

  test('reads a secret from the file named by its _FILE variable', () => {
    const path = join(folder, 'url')
    writeFileSync(path, 'postgres://user:secret@host/db\n')
    assert.equal(readConfig({ DATABASE_URL_FILE: path }).databaseUrl, 'postgres://user:secret@host/db')
    assert.deepEqual(faultsOf({ DATABASE_URL_FILE: path, DATABASE_URL: 'sqlite:x' }), [
      'DATABASE_URL: expected either DATABASE_URL or DATABASE_URL_FILE, got both',
    ])
    assert.match(
      faultsOf({ DATABASE_URL_FILE: join(folder, 'none') })[0] ?? '',
      /^DATABASE_URL_FILE: expected the path of a readable file; got ENOENT$/,
    )
  })

  test('refuses a folder, a pipe, a device and a very large file at once, instead of reading without end', () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const large = join(folder, 'large')
    writeFileSync(large, '')
    truncateSync(large, 1_048_577)
    for (const [path, got] of [
      [folder, 'EISDIR'],
      [pipe, 'a pipe or a device'],
      ['/dev/zero', 'a pipe or a device'],
      [large, '1048577 bytes'],
    ] as const) {
      assert.deepEqual(faultsOf({ CONSENT_SEAL_KEY_FILE: path }), [
        `CONSENT_SEAL_KEY_FILE: expected the path of a readable file; got ${got}`,
      ])
      assert.match(faultsOf({ CONSENT_WORDING_FILE: path })[0] ?? '', /^CONSENT_WORDING_FILE: expected the path of a/)
    }
  })

  test('requires 365 days of notice before the removal of the alias, not a calendar year', () => {
    const schedule = (announced: string, at: string) =>
      faultsOf({ LEGACY_SUNSET_ANNOUNCED_AT: announced, LEGACY_SUNSET_AT: at })
    assert.deepEqual(schedule('2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z'), [])
    assert.match(schedule('2027-01-01T00:00:01Z', '2028-01-01T00:00:00Z')[0] ?? '', /365 days/)
    assert.deepEqual(schedule('2028-01-01T00:00:00Z', '2028-12-31T00:00:00Z'), [])
    assert.match(faultsOf({ LEGACY_SUNSET_AT: '2028-01-01T00:00:00Z' })[0] ?? '', /both or neither/)
    assert.match(
      faultsOf({
        LEGACY_DEPRECATED_AT: '2030-01-01T00:00:00Z',
        LEGACY_SUNSET_ANNOUNCED_AT: '2027-01-01T00:00:00Z',
        LEGACY_SUNSET_AT: '2029-01-01T00:00:00Z',
      })[0] ?? '',
      /not before LEGACY_DEPRECATED_AT/,
    )
  })

  test('reads Redis as one server, a cluster, or Sentinels', () => {
    assert.deepEqual(readConfig({ REDIS_URL: 'rediss://:p@h:1' }).redis, { kind: 'single', url: 'rediss://:p@h:1' })
    assert.deepEqual(readConfig({ REDIS_CLUSTER_NODES: 'a:1, b' }).redis, {
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
      username: undefined,
      password: undefined,
      tls: false,
    })
    const sentinel = readConfig({
      REDIS_SENTINELS: '[::1]:5',
      REDIS_SENTINEL_NAME: 'm',
      REDIS_PASSWORD: 'p',
      REDIS_TLS: 'true',
    }).redis
    assert.equal(sentinel?.kind, 'sentinel')
    assert.deepEqual(faultsOf({ REDIS_SENTINELS: 'a:1' }).length, 1)
    assert.deepEqual(faultsOf({ REDIS_URL: 'redis://a', REDIS_CLUSTER_NODES: 'a:1' }).length, 1)
  })
})

const authority = createAuthority('Test authority')
after(() => authority.dispose())
const { cert, key } = authority.issue('127.0.0.1')
const tls = { INTERNAL_TLS_CERT: cert, INTERNAL_TLS_KEY: key, INTERNAL_TLS_CLIENT_CA: authority.cert }

suite('the settings of the internal listener', () => {
  test('reads the roles of callers, which require certificates', () => {
    const callers = 'CRM.internal=read+erase, URI:spiffe://business.internal/site?a=b=submit'
    assert.deepEqual(
      readConfig({ ...tls, INTERNAL_CALLERS: callers }).internal.callers,
      new Map([
        ['crm.internal', new Set(['read', 'erase'])],
        ['URI:spiffe://business.internal/site?a=b', new Set(['submit'])],
      ]),
    )
    assert.equal(readConfig(tls).internal.callers, undefined)
    assert.match(
      faultsOf({ ...tls, INTERNAL_CALLERS: 'spiffe://business.internal/site=submit' })[0] ?? '',
      /^INTERNAL_CALLERS: .* a DNS name, or URI: and a URI/,
    )
    assert.match(faultsOf({ INTERNAL_CALLERS: callers })[0] ?? '', /^INTERNAL_CALLERS: expected INTERNAL_TLS_CERT/)
  })

  test('reports only the cause when one file cannot be read', () => {
    const { INTERNAL_TLS_CERT: _, ...others } = tls
    assert.equal(faultsOf({ ...others, INTERNAL_TLS_CERT_FILE: '/nowhere' }).length, 1)
  })

  test('reports a key of another certificate, and texts that are not certificates, without printing them', () => {
    const { key: other } = authority.issue('127.0.0.1')
    assert.deepEqual(faultsOf({ ...tls, INTERNAL_TLS_KEY: other }), [
      'INTERNAL_TLS_CERT, INTERNAL_TLS_KEY: expected a certificate and its own key; these two do not match',
    ])
    const nonsense = '-----BEGIN X-----\nx\n-----END X-----'
    for (const name of Object.keys(tls)) {
      const [fault = '', ...others] = faultsOf({ ...tls, [name]: nonsense })
      assert.match(fault, new RegExp(`^${name}: expected a (certificate|private key) in PEM`))
      assert.deepEqual(others, [])
    }
  })

  test('accepts any host name once certificates or the operator guard the listener', () => {
    assert.equal(readConfig(tls).internal.loopbackOnly, false)
    assert.equal(readConfig({ INTERNAL_INSECURE: 'true' }).internal.loopbackOnly, false)
  })

  test('refuses an internal listener that anyone can reach, unless INTERNAL_INSECURE allows it', () => {
    assert.match(faultsOf({ INTERNAL_HOST: '0.0.0.0' })[0] ?? '', /INTERNAL_INSECURE=true/)
    assert.deepEqual(faultsOf({ INTERNAL_HOST: '0.0.0.0', INTERNAL_INSECURE: 'true' }), [])
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      assert.deepEqual(faultsOf({ INTERNAL_HOST: host }), [])
    assert.deepEqual(faultsOf({ INTERNAL_HOST: '0.0.0.0', ...tls }), [])
    assert.match(faultsOf({ INTERNAL_TLS_CERT: cert })[0] ?? '', /all three or none/)
  })
})
