import assert from 'node:assert/strict'
import { createConsentTexts } from '../../src/consent/wording.ts'
import { createDocuments } from '../../src/site/documents.ts'
import type { DiscoveryContext } from '../../src/site/values.ts'
import { nowMs } from '../support/submissions.ts'

export const baseUrl = 'https://api.example.org'

/** A deployment's settings, for the tests of the documents. */
export function createContext(changes: Partial<DiscoveryContext> = {}): DiscoveryContext {
  const business = {
    name: 'Bright Home Cleaning',
    phone: '(202) 555-0100',
    email: 'hello@brighthome.example',
    serviceArea: 'Springfield and nearby towns',
    postalAddress: '100 Example Street, Springfield, IL 62701',
    serviceProviders: undefined,
    backupDays: undefined,
  }
  return {
    baseUrl,
    business,
    consent: createConsentTexts(business),
    ratePolicy: { limit: 10, windowSeconds: 60 },
    duplicateWindowHours: 24,
    retentionDays: undefined,
    corsOrigins: [],
    acceptTestLeads: false,
    legacy: { deprecatedAt: new Date('2026-11-26T00:00:00Z'), removal: undefined },
    now: () => nowMs,
    ...changes,
  }
}

/** The documents of this deployment, with their texts, and those of their paths plus `.md`. */
export function renderDocuments(changes: Partial<DiscoveryContext> = {}) {
  const documents = createDocuments(createContext(changes)).map((one) => ({ ...one, body: one.render() }))
  const texts = new Map(documents.map(({ path, body }) => [path, body]))
  return documents.map((one) => ({ ...one, markdown: texts.get(`${one.path}.md`) ?? '' }))
}

/** Finds one of them. */
export function documentsOf(changes: Partial<DiscoveryContext> = {}) {
  const documents = renderDocuments(changes)
  return (path: string) => documents.find((one) => one.path === path) ?? assert.fail(`no document at ${path}`)
}
