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
} as const satisfies Partial<Record<keyof SettingValues, string>>

const waysToStop = /stop|revoke|withdraw|opt(?:ing)?[ -]?out|unsubscribe|end (?:it|this)/i

/** Whether the service is public, and refuses test data. */
function takesRealLeads({ BASE_URL = 'http://localhost', TEST_LEADS }: SettingValues): boolean {
  const host = new URL(BASE_URL).hostname
  return !isLoopback(host) && !host.endsWith('.localhost') && TEST_LEADS !== 'accept'
}

/** The settings of the business that are missing or those of the example. */
const findExamples = (given: SettingValues) =>
  business.filter((name) => given[name] === undefined || examples.has(alphanumericsOf(given[name])))

/** Reports what must be set before leads are real. */
export function reportMissing(given: SettingValues, faults: ConfigFaults): void {
  if (!takesRealLeads(given)) return
  if (given.BASE_URL?.startsWith('https:') && given.TRUSTED_PROXIES === undefined)
    faults.add(
      'TRUSTED_PROXIES',
      'expected the addresses of the proxy that speaks TLS in front of the service, because BASE_URL is https; without them, all customers share one rate limit; got nothing',
    )
  const { BUSINESS_PHONE: phone, BUSINESS_EMAIL: email } = given
  const contacts = { ...(phone && { phone: normalizePhone(phone) }), ...(email && { email: normalizeEmail(email) }) }
  for (const { pointer, detail } of findTestData(contacts))
    faults.add(`BUSINESS_${pointer.slice(2).toUpperCase()}`, `expected a real one; got one that ${detail}`)
  for (const name of findExamples(given)) {
    const got = given[name] === undefined ? 'nothing' : 'an example'
    faults.add(name, `expected the business's own, because BASE_URL is public and TEST_LEADS is reject; got ${got}`)
  }
}

/** What should be set or changed, one line each. */
export function findWarnings(given: SettingValues): string[] {
  const warnings: string[] = []
  if (!waysToStop.test(given.CONSENT_WORDING_FILE ?? 'stop'))
    warnings.push('CONSENT_WORDING_FILE: the wording does not say how a customer can stop being contacted')
  if (!takesRealLeads(given)) {
    const names = findExamples(given).join(', ')
    const shown = `an example business is shown on pages and documents: set ${names} before real customers see them`
    return names === '' ? warnings : [...warnings, shown]
  }
  for (const [name, consequence] of Object.entries(recommended))
    if (given[name as keyof typeof recommended] === undefined) warnings.push(`${name} is not set: ${consequence}`)
  if (given.REDIS_URL && !given.RATE_LIMIT_SECRET)
    warnings.push('RATE_LIMIT_SECRET is not set: anyone who can read Redis can find the addresses of clients')
  return warnings
}
