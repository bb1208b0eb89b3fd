import { STATUS_CODES } from 'node:http'
import { checkLead } from '../../../src/lead/check.ts'
import { type Fault, LeadError } from '../../../src/lead/error.ts'
import { faultOf, leadRules } from '../../../src/lead/rules.ts'
import type { LeadKind } from '../../../src/lead/submission.ts'
import { createProblemRenderer, type ProblemOccurrence, problemMediaType } from '../../../src/problem/document.ts'
import type { ProblemCode } from '../../../src/problem/table.ts'
import { problemTable } from '../../../src/problem/table.ts'
import { readContent } from '../content.ts'
import { headerExample, rateHeaders } from './headers.ts'
import { headersOf, isOfSubmission } from './problems.ts'

/** Example leads. All contact details are reserved for documentation, so a production service refuses them. */
const leads = {
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
    consentTimestamp: '2026-01-15T09:29:00Z',
    pageUrl: 'https://www.example.com/quote',
  },
  support: {
    formType: 'support',
    name: 'Jordan Example',
    email: 'jordan@example.com',
    phone: '(202) 555-0123',
    helpWith: 'Window cleaning',
    message: 'Do you clean windows too?',
  },
} as const satisfies Record<LeadKind, Record<string, string | boolean>>

export type Example = Readonly<Record<string, string | boolean>>
export const exampleLeads: Readonly<Record<LeadKind, Example>> = leads

/** The receipt of an accepted submission. */
export const exampleReceipt = {
  id: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10',
  formType: 'quote',
  receivedAt: '2026-01-15T09:30:02.481Z',
} as const

/** JSON whose placeholders of numbers, `"{{number:name}}"`, are numbers. */
export function numbersIn(text: string): string {
  return text.replace(/"\{\{number:(\w+)\}\}"/g, '{{$1}}')
}

/** An answer as sent over HTTP. Below another format's escapes, the wording keeps those of JSON. */
function showAnswer(status: number, headers: Readonly<Record<string, string>>, body: unknown): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  const json = numbersIn(JSON.stringify(body, null, 2)).replaceAll(/\{\{(wording|phone|email)\}\}/g, '{{$1Json}}')
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\n${fields.join('')}\n${json}`
}

const examplesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, headerExample(name)]))

/** The answer to an accepted submission. */
export const receiptAnswer = showAnswer(201, { 'Content-Type': 'application/json; charset=utf-8' }, exampleReceipt)

/** Stands for the placeholder of a number where a number is expected. */
const waitPlaceholder = -1

const render = createProblemRenderer('{{baseUrl}}', {
  phone: '{{phone}}',
  email: '{{email}}',
  consent: { version: '{{wordingVersion}}', wording: '{{wording}}', url: '{{baseUrl}}/terms#consent' },
})

/** A problem as rendered by the service, with placeholders. */
function renderExample(occurrence: ProblemOccurrence): object {
  return JSON.parse(render('0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11', occurrence), (_, value) =>
    value === waitPlaceholder ? '{{number:retryAfter}}' : value,
  )
}

function ruleFault(field: string, fault: 'type' | 'value'): Fault {
  const rule = leadRules.quote.find(({ name }) => name === field)
  if (!rule) throw new Error(`no rule for ${field}`)
  return rule.faults[fault]
}

/** What an example adds to the problem table. */
const occurrences: Partial<Record<ProblemCode, Omit<ProblemOccurrence, 'code'>>> = {
  validation_failed: {
    detail: '2 fields need attention: phone, bedrooms.',
    faults: [ruleFault('phone', 'value'), ruleFault('bedrooms', 'type')],
  },
  consent_required: { faults: [ruleFault('communicationsConsent', 'value')] },
  test_lead_rejected: {
    detail: '2 fields need attention: phone, email.',
    faults: [faultOf('phone', 'reserved_phone'), faultOf('email', 'reserved_domain')],
  },
  rate_limited: {
    detail: 'The {{limit}} submissions per {{windowSeconds}} seconds are used up for {{retryAfter}} more seconds.',
    retryAfterSeconds: waitPlaceholder,
  },
  service_unavailable: { retryAfterSeconds: 2 },
  overloaded: { retryAfterSeconds: 2 },
  method_not_allowed: { allowedMethods: headerExample('Allow').split(', ') },
}

/** One example of each problem, as rendered by the service. */
export function exampleProblem(code: ProblemCode): object {
  const occurrence = occurrences[code]
  if (problemTable[code].hint.includes('retryAfterSeconds') && occurrence?.retryAfterSeconds === undefined)
    throw new Error(`${code}: add retryAfterSeconds, which its hint names, to scripts/generate/facts/examples.ts`)
  return renderExample({ code, ...occurrence })
}

/** A complete answer with a problem, as sent over HTTP. */
export function problemAnswer(code: ProblemCode): string {
  const { status } = problemTable[code]
  const headers = examplesOf([...headersOf(code), ...(isOfSubmission(code) ? rateHeaders : []), 'X-Request-Id'])
  if (status === 503) headers['Retry-After'] = '2'
  if (code === 'rate_limited')
    Object.assign(headers, { 'RateLimit-Remaining': '0', 'RateLimit-Reset': headerExample('Retry-After') })
  return showAnswer(status, { 'Content-Type': problemMediaType, ...headers }, exampleProblem(code))
}

/** The body of the sample of a quote request. */
export function sampleBody(): string {
  const [body] = /\{\n[\s\S]*\n\}/.exec(readContent('samples/quote.sh')) ?? []
  if (!body) throw new Error('no body in quote.sh')
  return body
}

/** The service's real answer to the unmodified sample, with two of its faults: all would be too long to read. */
export function placeholderAnswer(): { count: number; answer: string } {
  try {
    checkLead(JSON.parse(sampleBody()), { nowMs: 0, acceptTestLeads: false })
  } catch (error) {
    if (!(error instanceof LeadError)) throw error
    const { code, message: detail, faults } = error
    if (code !== 'validation_failed' && code !== 'consent_required') throw error
    const problem = renderExample({ code, detail, faults: faults.slice(0, 2) })
    return { count: faults.length, answer: showAnswer(422, { 'Content-Type': problemMediaType }, problem) }
  }
  throw new Error('the unchanged sample is a valid lead')
}
