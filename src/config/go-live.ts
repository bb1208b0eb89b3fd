import { normalizeEmail, normalizePhone } from '../lead/normalize.ts'
import { findTestData } from '../lead/test-data.ts'
import { isLoopback } from './internal.ts'
import type { ConfigFaults } from './reader.ts'
import type { SettingValues } from './settings.ts'

/** The business shown until a deployment sets its own. It must not appear in the consent of real leads. */
export const exampleBusiness = {
  BUSINESS_NAME: 'Bright Home Cleaning',
  BUSINESS_PHONE: '(202) 555-0100',
  BUSINESS_EMAIL: 'hello@brighthome.example',
  BUSINESS_SERVICE_AREA: 'Springfield and nearby towns',
  BUSINESS_POSTAL_ADDRESS: '100 Example Street, Springfield, IL 62701',
} as const

const business = Object.keys(exampleBusiness) as (keyof typeof exampleBusiness)[]

const alphanumericsOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
const examples = new Set(Object.values(exampleBusiness).map(alphanumericsOf))

/** Settings that a service with real leads can do without, and the consequence. */
const recommended = {
  LEAD_RETENTION_DAYS: 'nothing is ever deleted by itself',
  SERVICE_PROVIDERS: 'the privacy notice does not name who handles leads',
  BACKUP_DAYS: 'the privacy notice does not say how long backups are kept',
  RATE_LIMIT_SECRET: 'anyone who can read Redis can find the addresses of clients',
} as const satisfies Partial<Record<keyof SettingValues, string>>

const waysToStop = /stop|revoke|withdraw|opt(?:ing)?[ -]?out|unsubscribe|end (?:it|this)/i

/** Reports what must be set before the service is public. Returns warnings about what should be set. */
export function checkGoLive(given: SettingValues, faults: ConfigFaults): string[] {
  const warnings = checkForRealLeads(given, faults)
  if (waysToStop.test(given.CONSENT_WORDING_FILE ?? 'stop')) return warnings
  return ['CONSENT_WORDING_FILE: the wording does not say how a customer can stop being contacted', ...warnings]
}

function checkForRealLeads(given: SettingValues, faults: ConfigFaults): string[] {
  const host = new URL(given.BASE_URL ?? 'http://localhost').hostname
  const isPublished = !isLoopback(host) && !host.endsWith('.localhost')
  const missing = business.filter((name) => given[name] === undefined || examples.has(alphanumericsOf(given[name])))
  if (!isPublished || given.TEST_LEADS === 'accept') {
    const shown = `an example business is shown on pages and documents: set ${missing.join(', ')} before real customers see them`
    return missing.length === 0 ? [] : [shown]
  }
  if (given.BASE_URL?.startsWith('https:') && given.TRUSTED_PROXIES === undefined)
    faults.add(
      'TRUSTED_PROXIES',
      'expected the addresses of the proxy that speaks TLS in front of the service, because BASE_URL is https; without them, all customers share one rate limit; got nothing',
    )
  const { BUSINESS_PHONE: phone, BUSINESS_EMAIL: email } = given
  if (phone !== undefined && findTestData({ phone: normalizePhone(phone) }).length > 0)
    faults.add(
      'BUSINESS_PHONE',
      'expected a real number, ten digits of the North American plan (+1); got one that is reserved or cannot be assigned',
    )
  if (email !== undefined && findTestData({ email: normalizeEmail(email) }).length > 0)
    faults.add('BUSINESS_EMAIL', 'expected a real e-mail address; got one of a domain that is reserved for examples')
  for (const name of missing) {
    const got = given[name] === undefined ? 'nothing' : 'an example'
    faults.add(name, `expected the business's own, because BASE_URL is public and TEST_LEADS is reject; got ${got}`)
  }
  return Object.entries(recommended)
    .filter(([name]) => given[name as keyof typeof recommended] === undefined)
    .map(([name, consequence]) => `${name} is not set: ${consequence}`)
}
