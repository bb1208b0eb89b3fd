import { createConsentTexts } from '../../src/lead/wording.ts'
import type { DiscoveryContext } from '../../src/site/context.ts'
import type { Document } from '../../src/site/document.ts'
import { createDocuments } from '../../src/site/documents.ts'
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
    policy: { limit: 10, windowSeconds: 60 },
    bodyMaxBytes: 20_000,
    duplicateWindowHours: 24,
    keyWindowHours: 24,
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
  markdown: string | undefined
}

/** The documents of this deployment, with their texts. */
export async function renderDocuments(changes: Partial<DiscoveryContext> = {}): Promise<Rendered[]> {
  return Promise.all(
    createDocuments(createContext(changes)).map(async (document) => ({
      ...document,
      body: await document.render(),
      markdown: await document.alternatives?.find(({ mediaType }) => mediaType === 'text/markdown')?.render(),
    })),
  )
}

/** The same documents, by path. */
export async function documentsOf(changes: Partial<DiscoveryContext> = {}): Promise<(path: string) => Rendered> {
  const documents = new Map((await renderDocuments(changes)).map((document) => [document.path, document]))
  return (path) => {
    const document = documents.get(path)
    if (!document) throw new Error(`no document at ${path}`)
    return document
  }
}

/** A document's Markdown representation. */
export function markdownOf({ path, markdown }: Rendered): string {
  if (markdown === undefined) throw new Error(`${path} has no Markdown`)
  return markdown
}
