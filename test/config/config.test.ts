import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError, findNearMisses } from '../../src/config/reader.ts'
import { settings } from '../../src/config/settings.ts'
import { redisUrl } from '../../src/config/types.ts'
import { createAuthority } from '../rpc/certificates.ts'
import { newFolder } from '../support/machine.ts'
import { realBusiness as business } from '../support/submissions.ts'

const folder = newFolder()

const authority = createAuthority('Test authority')
const { cert, key } = authority.issue('127.0.0.1')
const tls = { INTERNAL_TLS_CERT: cert, INTERNAL_TLS_KEY: key, INTERNAL_TLS_CLIENT_CA: authority.cert }

/** The faults of these settings. Empty: they are valid. */
function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    assert(error instanceof ConfigError)
    return error.message.split('\n  ').slice(1)
  }
  return []
}
/** The only fault of these settings. */
function faultOf(env: Record<string, string>): string {
  const [fault = assert.fail('is valid'), ...more] = faultsOf(env)
  assert.deepEqual(more, [])
  return fault
}
const namesOf = (texts: readonly string[]) => texts.map((text) => text.split(/[: ]/)[0])

suite('the reader of settings', () => {
  test('accepts an empty environment, and treats an empty variable as not set', () => {
    assert.deepEqual(readConfig({}).legacy, { deprecatedAt: new Date('2026-11-26T00:00:00Z'), removal: undefined })
    assert.deepEqual(readConfig({ REDIS_URL: '', PORT: ' ' }), readConfig({}))
  })

  /** At least one for each type of value. */
  const bad: Record<string, string[]> = {
    PORT: ['80a', '65536'],
    HOST: ['not a host'],
    // Meant as years.
    LEAD_RETENTION_DAYS: ['5', '29'],
    BASE_URL: ['api.example.org', 'https://api.example.org/path', 'ftp://api.example.org'],
    DATABASE_URL: [
      ...['mysql://x', 'sqlite::memory:', 'postgres://user:12/34@host/db'],
      ...['postgres://user@one,two/db', 'postgres://user@one:5432,two:5432/db'],
    ],
    REDIS_URL: ['localhost:6379', 'redis://user:12#34@host', 'redis://a,b', 'redis+cluster://a:1/0', 'redis://a/name'],
    TRUSTED_PROXIES: ['10.0.0.0/33', 'everyone'],
    CORS_ORIGINS: ['*', 'https://a.example/path'],
    RATE_LIMIT: ['1O', '0', '1.5'],
    DUPLICATE_WINDOW_HOURS: ['-1'],
    TEST_LEADS: ['yes'],
    LEGACY_SUNSET_AT: ['2026-01-01'],
    INTERNAL_INSECURE: ['1'],
    LOG_LEVEL: ['loud'],
    DRAIN_SECONDS: ['60'],
    RATE_LIMIT_SECRET: ['short'],
    BUSINESS_POSTAL_ADDRESS: ['two\nlines'],
    CONSENT_WORDING_FILE: ['/nowhere/wording.txt'],
    INTERNAL_CALLERS: [
      ...['crm.internal', 'crm.internal=write', 'crm internal=read', 'URI:nonsense=read', '*.*.internal=read', '=read'],
      ...['crm.internal=read,crm.internal=erase', 'spiffe://business.internal/site=submit'],
    ],
  }
  test('refuses a bad value and says what is expected', () => {
    for (const [variable, values] of Object.entries(bad))
      for (const value of values)
        assert.match(faultOf({ [variable]: value }), new RegExp(`^${variable}: expected .+; got `), value)
    assert.match(faultOf({ CORS_ORIGINS: 'https://*.example.org' }), /"\*" is not a wildcard; name each host/)
  })

  test('never prints a secret or a value with an at sign, which may be a password in the wrong variable', () => {
    const urls = { DATABASE_URL: 'mysql://user:canary-secret@host', REDIS_URL: 'http://:canary-secret@host' }
    const faults = faultsOf({ ...urls, INTERNAL_TLS_KEY: 'canary-secret', RATE_LIMIT_SECRET: 'canary' })
    assert(faults.length >= 4)
    assert(!faults.join().includes('canary'))
    for (const value of ['xredis://user:canary@host:1/x?', ':canary%40host'])
      assert.match(faultOf({ PORT: value }), /^PORT: expected .+; got a value that is not shown, as it has an at sign$/)
  })

  test('reports only the cause when one bad variable makes others look wrong', () => {
    faultOf({ LEGACY_SUNSET_ANNOUNCED_AT: 'soon', LEGACY_SUNSET_AT: '2028-01-01T00:00:00Z' })
    faultOf({ ...tls, INTERNAL_TLS_CERT: '', INTERNAL_TLS_CERT_FILE: '/nowhere' })
  })

  test("reads the business's own consent wording, and refuses an unknown placeholder", () => {
    const path = join(folder, 'wording.txt')
    const read = (content: string | Buffer) => {
      writeFileSync(path, content)
      return readConfig({ CONSENT_WORDING_FILE: path }).consentWording
    }
    assert.equal(read('I ask {BUSINESS_NAME} to call me.\n'), 'I ask {BUSINESS_NAME} to call me.')
    const warnings = () => readConfig({ CONSENT_WORDING_FILE: path }).warnings.join()
    assert.match(warnings(), /CONSENT_W.* stop/)
    read('I ask {BUSINESS_NAME} to call me, until I opt out.')
    assert.doesNotMatch(warnings(), /CONSENT_W/)
    for (const bad of ['I ask {NAME} to call.', 'I ask {BUSINESS_NAME', ' \n', 'x'.repeat(5_001), Buffer.from([0xff])])
      assert.throws(() => read(bad), ConfigError)
  })

  test('reads a secret from the file named by its _FILE variable', () => {
    const path = join(folder, 'url')
    writeFileSync(path, 'postgres://user:secret@host/db\n')
    assert.equal(readConfig({ DATABASE_URL_FILE: path }).databaseUrl, 'postgres://user:secret@host/db')
    const two = { DATABASE_URL_FILE: path, DATABASE_URL: 'sqlite:x' }
    assert.match(faultOf(two), /^DATABASE_URL: expected either DATABASE_URL or DATABASE_URL_FILE, got both$/)
    const expected = 'DATABASE_URL_FILE: expected the path of a readable file; got EISDIR'
    assert.equal(faultOf({ DATABASE_URL_FILE: folder }), expected)
  })

  test('requires 365 days of notice before the removal of the alias, not a calendar year', () => {
    const scheduled = (announced: string, at: string) =>
      faultsOf({ LEGACY_SUNSET_ANNOUNCED_AT: announced, LEGACY_SUNSET_AT: at }).join()
    assert.equal(scheduled('2028-01-01T00:00:00Z', '2028-12-31T00:00:00Z'), '')
    assert.match(scheduled('2027-01-01T00:00:01Z', '2028-01-01T00:00:00Z'), /365 days/)
    assert.match(scheduled('', '2028-01-01T00:00:00Z'), /both or neither/)
  })

  test('reads the default ports of Redis, IPv6 addresses, encoded names, and URLs without a login', () => {
    const open = { username: undefined, password: undefined, tls: false }
    assert.deepEqual(redisUrl.parse('rediss://:p@h:1/2'), { kind: 'single', url: 'rediss://:p@h:1/2' })
    const [a, b] = [{ host: '::1', port: 1 }, { host: 'b' }]
    const cluster = { kind: 'cluster', nodes: [a, { ...b, port: 6_379 }], ...open }
    assert.deepEqual(redisUrl.parse('redis+cluster://[::1]:1,b'), cluster)
    const names = { sentinels: [a, { ...b, port: 26_379 }], name: 'm é', sentinelPassword: 'a+b/c' }
    const encoded = 'redis+sentinel://[::1]:1,b/m%20%C3%A9?sentinelPassword=a+b%2Fc'
    assert.deepEqual(redisUrl.parse(encoded), { kind: 'sentinel', ...names, ...open })
  })

  test('says what is wrong with the URL of Redis, and never shows it', () => {
    for (const [url, why] of [
      ['redis://u:canary/x@h', 'percent-encoded'],
      ['redis://u:canary%@h', 'percent sign'],
      ['redis://:canary@a:1,b:2', 'several hosts'],
      ['redis://:canary@a:1/0?connectTimeout=5000', 'only the number'],
      ['redis+cluster://:canary@a:1,', 'a host is not'],
      ['redis+cluster://:canary@a/0', 'nothing may follow'],
      ['redis+sentinel://:canary@a', 'the name of the master'],
      ['redis+sentinel://a/m?canary=canary', 'the only parameter'],
    ] as const) {
      const fault = faultOf({ REDIS_URL: url })
      assert.match(fault, new RegExp(`^REDIS_URL: expected .+; got a value that is not shown \\(.*${why}`), url)
      assert(!fault.includes('canary'))
    }
  })
})

suite('the settings of the internal listener', () => {
  test('reads the roles of callers, which require certificates', () => {
    const callers = 'CRM.internal = read + erase, URI:spiffe://business.internal/site?a=b=submit,*.shops.internal=read'
    const roles = Object.entries({
      'crm.internal': new Set(['read', 'erase']),
      'URI:spiffe://business.internal/site?a=b': new Set(['submit']),
      '*.shops.internal': new Set(['read']),
    })
    assert.deepEqual(readConfig({ ...tls, INTERNAL_CALLERS: callers }).internal.callers, new Map(roles))
    assert.match(faultOf({ INTERNAL_CALLERS: callers }), /^INTERNAL_CALLERS: expected INTERNAL_TLS_CERT/)
  })

  test('reports a key of another certificate, and texts that are not certificates, without printing them', () => {
    const { key: other } = authority.issue('127.0.0.1')
    assert.deepEqual(faultsOf({ ...tls, INTERNAL_TLS_KEY: other }), [
      'INTERNAL_TLS_KEY: expected the key of the certificate in INTERNAL_TLS_CERT; got another one',
    ])
    const nonsense = '-----BEGIN X-----\nx\n-----END X-----'
    for (const name of Object.keys(tls)) {
      const expected = new RegExp(`^${name}: expected a (certi|private key).* in PEM`)
      assert.match(faultOf({ ...tls, [name]: nonsense }), expected)
    }
  })

  test('refuses an internal listener that anyone can reach, unless INTERNAL_INSECURE allows it', () => {
    assert.match(faultOf({ INTERNAL_HOST: '0.0.0.0' }), /INTERNAL_INSECURE=true/)
    for (const guard of [tls, { INTERNAL_INSECURE: 'true' }])
      assert.equal(readConfig({ INTERNAL_HOST: '0.0.0.0', ...guard }).internal.loopbackOnly, false)
    for (const INTERNAL_HOST of ['127.1.2.3', '::1', 'localhost']) assert.deepEqual(faultsOf({ INTERNAL_HOST }), [])
    assert.match(faultOf({ INTERNAL_TLS_CERT: cert }), /all three or none/)
  })
})

const real = { BASE_URL: 'https://api.sample-cleaning.internal', TRUSTED_PROXIES: '192.0.2.1', ...business }
const advised = { LEAD_RETENTION_DAYS: '1830', SERVICE_PROVIDERS: 'Sample Hosting', BACKUP_DAYS: '30' }

suite('a service with real leads', () => {
  test('refuses to start until every detail of the business is set', () => {
    const { BASE_URL, TRUSTED_PROXIES } = real
    assert.deepEqual(namesOf(faultsOf({ BASE_URL, TRUSTED_PROXIES })), Object.keys(business))
    for (const BUSINESS_PHONE of [real.BUSINESS_PHONE, '1-800-411-7246', '+1 415/867-5309'])
      assert.deepEqual(faultsOf({ ...real, BUSINESS_PHONE }), [])
  })

  test('refuses an https origin without the proxy that speaks TLS for it', () => {
    const fault = faultOf({ ...real, TRUSTED_PROXIES: '' })
    assert.match(fault, /^TRUSTED_PROXIES: expected the addresses of the proxy .* share one rate limit; got nothing$/)
    for (const [name, value] of Object.entries({ BASE_URL: 'http://a.internal', TEST_LEADS: 'accept' }))
      assert.deepEqual(faultsOf({ ...real, TRUSTED_PROXIES: '', [name]: value }), [])
  })

  test('refuses details of an example business, without printing them', () => {
    for (const [name, value] of [
      ['BUSINESS_PHONE', '(123) 456-7890'],
      ['BUSINESS_PHONE', 'call us'],
      ['BUSINESS_EMAIL', 'Hello@Example.COM'],
      ['BUSINESS_SERVICE_AREA', 'springfield  and nearby towns'],
    ] as const) {
      const fault = faultOf({ ...real, [name]: value })
      assert.match(fault, new RegExp(`^${name}: expected (a real |the business's own,).*; got (one|an example)`))
      assert(!fault.includes(value))
    }
  })

  test('warns about recommended settings, each with the consequence of not setting it', () => {
    const { warnings } = readConfig(real)
    assert.deepEqual(namesOf(warnings).sort(), Object.keys(advised).sort())
    const shared = { ...real, ...advised, REDIS_URL: 'redis://127.0.0.1' }
    assert.match(readConfig(shared).warnings.join(), /^RATE_LIMIT_SECRET is not set: anyone who can read Redis [^,]*$/)
    for (const env of [
      { ...real, ...advised },
      { ...shared, RATE_LIMIT_SECRET: 'sixteen-characters-and-more' },
    ])
      assert.deepEqual(readConfig(env).warnings, [])
  })

  test('shows a misspelled variable next to the missing one', () => {
    const { BUSINESS_PHONE: phone, ...rest } = real
    const message =
      /\n {2}BUSINESS_PHONE: .*\n {2}BUSINESS_PHNE: no setting has this name; did you mean BUSINESS_PHONE\?$/
    assert.throws(() => readConfig({ ...rest, BUSINESS_PHNE: phone }), { message })
  })
})

test('a service without real leads starts, and warns that an example business is shown', () => {
  const staging = { BASE_URL: 'https://staging.sample-cleaning.internal', TEST_LEADS: 'accept' }
  for (const env of [{}, { BASE_URL: 'http://[::1]:8080' }, { BASE_URL: 'http://leads.localhost' }, staging]) {
    assert.match(readConfig(env).warnings.join(), /^an example business is shown .*: set BUSINESS_NAME, [^:]*$/)
    assert.deepEqual(readConfig({ ...env, ...business }).warnings, [])
  }
})

test('a variable that is one letter from a setting gets a warning, unless it is another word', () => {
  const find = (variables: string[]) =>
    findNearMisses(settings, Object.fromEntries(variables.map((variable) => [variable, 'x'])))
  for (const [variable, meant] of Object.entries({
    ...{ RATELIMIT: 'RATE_LIMIT', Rate_Limit: 'RATE_LIMIT', RAET_LIMIT: 'RATE_LIMIT' },
    ...{ DATABSE_URL_FILE: 'DATABASE_URL_FILE', BUSINESS_NAME_FILE: 'BUSINESS_NAME' },
  }))
    assert.deepEqual(find([variable]), [`${variable}: no setting has this name; did you mean ${meant}?`])
  const others = `
    HOME HOSTS PORTS SORT POST API_PORT APP_HOST host port PGHOST REDIS_TTL INTERNAL_TLS_CA DATABASE_URL_FILE`
  assert.deepEqual(find([...others.trim().split(/\s+/), ...Object.keys(settings)]), [])
})
