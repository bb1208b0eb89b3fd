import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/faults.ts'
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
