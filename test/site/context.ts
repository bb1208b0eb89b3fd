import assert from 'node:assert/strict'
import { createConsentTexts } from '../../src/lead/wording.ts'
import { createDocuments, type Document } from '../../src/site/documents.ts'
import type { DiscoveryContext } from '../../src/site/values.ts'
import { nowMs } from '../support/submissions.ts'

export const baseUrl = 'https://api.example.org'

/** A name with characters that HTML, Markdown and URLs treat as syntax. */
export const trickyName = 'Zephyr & Sons <Cleaning> "24*7" [_x_](y)'

/** A deployment's settings, for the tests of the documents. */
export function createContext(changes: Partial<DiscoveryContext> = {}): DiscoveryContext {
  return {
    baseUrl,
    business: {
      name: 'Bright Home Cleaning',
      phone: '(202) 555-0100',
      email: 'hello@brighthome.example',
      serviceArea: 'Springfield and nearby towns',
      postalAddress: '100 Example Street, Springfield, IL 62701',
      serviceProviders: undefined,
      backupDays: undefined,
    },
    consent: createConsentTexts({ name: 'Bright Home Cleaning', phone: '(202) 555-0100' }),
    ratePolicy: { limit: 10, windowSeconds: 60 },
    duplicateWindowHours: 24,
    retentionDays: undefined,
    corsOrigins: [],
    acceptTestLeads: false,
    legacy: { deprecatedAt: new Date('2026-01-01T00:00:00Z'), sunset: undefined },
    now: () => nowMs,
    ...changes,
  }
}

/** A document with its text. */
export interface Rendered extends Document {
  body: string
  /** The text at the path plus `.md`. */
  markdown: string
}

/** The documents of this deployment, with their texts. */
export function renderDocuments(changes: Partial<DiscoveryContext> = {}): Rendered[] {
  const documents = createDocuments(createContext(changes))
  const textOf = (path: string) => documents.find((document) => document.path === path)?.render() ?? ''
  return documents.map((document) => ({
    ...document,
    body: document.render(),
    markdown: textOf(`${document.path}.md`),
  }))
}

/** The same documents, by path. */
export function documentsOf(changes: Partial<DiscoveryContext> = {}): (path: string) => Rendered {
  const documents = new Map(renderDocuments(changes).map((document) => [document.path, document]))
  return (path) => documents.get(path) ?? assert.fail(`no document at ${path}`)
}
