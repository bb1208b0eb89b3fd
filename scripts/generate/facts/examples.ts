import { STATUS_CODES } from 'node:http'
import type { LeadKind } from '../../../src/lead/submission.ts'

/** Example leads. All contact details are reserved for documentation, so a production service refuses them. */
export const exampleLeads = {
  quote: {
    formType: 'quote',
    name: 'Jordan Example',
    phone: '(202) 555-0123',
    email: 'jordan@example.com',
    bedrooms: '3',
    bathrooms: '2.5',
    service: 'Deep clean',
    notes: 'Two cats. The stairs have carpet.',
    communicationsConsent: true,
    consentTimestamp: '2026-01-15T09:30:00Z',
    pageUrl: 'https://www.example.com/quote',
  },
  support: {
    formType: 'support',
    name: 'Jordan Example',
    email: 'jordan@example.com',
    phone: '202-555-0123',
    helpWith: 'Window cleaning',
    message: 'Do you clean windows too?',
  },
} as const satisfies Record<LeadKind, Record<string, string | boolean>>

/** The example value of a field. */
export function exampleOf(kind: LeadKind, name: string): string | boolean {
  const example = (exampleLeads[kind] as Record<string, string | boolean>)[name]
  if (example === undefined) throw new Error(`${name} of ${kind}: add an example to scripts/generate/facts/examples.ts`)
  return example
}

/** The warning next to the examples. */
export const exampleWarning =
  'The contact details are reserved for documentation, and {{#localUse}}only this deployment for local use accepts them{{/localUse}}{{^localUse}}the service refuses them with `test_lead_rejected`{{/localUse}}: replace them with those of a real customer who asked to be contacted.'

/** Answers to an accepted submission. */
export const exampleReceipt = {
  id: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10',
  formType: 'quote',
  receivedAt: '2026-01-15T09:30:02.481Z',
} as const

/** The request id in all example problems. */
export const exampleRequestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'

/** A placeholder of a number, for JSON: its quotes go with `numbersIn`. */
export function number(name: string): string {
  return `{{number:${name}}}`
}

/** JSON whose placeholders of numbers are numbers. */
export function numbersIn(text: string): string {
  return text.replace(/"\{\{number:(\w+)\}\}"/g, '{{$1}}')
}

/** Formats JSON as in the documents. Below another format's escapes, the wording keeps those of JSON. */
export function showJson(value: unknown): string {
  return numbersIn(JSON.stringify(value, null, 2)).replaceAll('{{wording}}', '{{wordingJson}}')
}

/** An answer as sent over HTTP. */
export function showAnswer(
  status: number,
  mediaType: string,
  headers: readonly (readonly [name: string, value: string])[],
  body: unknown,
): string {
  const fields = [['Content-Type', mediaType], ...headers].map(([name, value]) => `${name}: ${value}\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\n${fields.join('')}\n${showJson(body)}`
}
