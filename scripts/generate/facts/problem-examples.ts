import type { Fault } from '../../../src/lead/error.ts'
import { faultOf, leadRules } from '../../../src/lead/rules.ts'
import {
  createProblemRenderer,
  type ProblemOccurrence,
  problemMediaType,
  problemRow,
} from '../../../src/problem/document.ts'
import type { ProblemCode } from '../../../src/problem/table.ts'
import type { Json } from '../openapi/schema-parts.ts'
import { exampleRequestId, number, showAnswer } from './examples.ts'
import { type HeaderName, headerFact } from './headers.ts'
import { aliasCodes, problemHeaders, rateHeaders, submissionCodes } from './operations.ts'

function ruleFault(field: string, fault: 'type' | 'value'): Fault {
  const rule = leadRules.quote.find(({ name }) => name === field)
  if (!rule) throw new Error(`no rule for ${field}`)
  return rule.faults[fault]
}

/** Stands for the placeholder of a number where a number is expected. */
const waitPlaceholder = -1

const render = createProblemRenderer('{{baseUrl}}', {
  phone: '{{phoneText}}',
  consent: { version: '{{wordingVersion}}', wording: '{{wording}}', url: '{{baseUrl}}/terms#consent' },
})

/** A problem as rendered by the service, with placeholders. */
export function renderExample(occurrence: Omit<ProblemOccurrence, 'requestId'>): Json {
  return JSON.parse(render({ ...occurrence, requestId: exampleRequestId }), (_, value) =>
    value === waitPlaceholder ? number('retryAfter') : value,
  )
}

/** What an example adds to the problem table. */
function occurrence(code: ProblemCode): Omit<ProblemOccurrence, 'code' | 'requestId'> {
  switch (code) {
    case 'validation_failed':
      return {
        detail: '2 fields need attention: phone, bedrooms.',
        faults: [ruleFault('phone', 'value'), ruleFault('bedrooms', 'type')],
      }
    case 'consent_required':
      return { faults: [ruleFault('communicationsConsent', 'value')] }
    case 'test_lead_rejected':
      return {
        detail: '2 fields need attention: phone, email.',
        faults: [faultOf('phone', 'reserved_phone'), faultOf('email', 'reserved_domain')],
      }
    case 'rate_limited':
      return {
        detail:
          'The limit of {{limit}} submissions in {{windowSeconds}} seconds is used up for the next {{retryAfter}} seconds.',
        retryAfterSeconds: waitPlaceholder,
      }
    case 'service_unavailable':
    case 'overloaded':
      return { retryAfterSeconds: 2 }
    case 'method_not_allowed':
      return { allowedMethods: headerFact('Allow').example.split(', ') }
    default:
      return {}
  }
}

/** One example of each problem, as rendered by the service. */
export function exampleProblem(code: ProblemCode): Json {
  return renderExample({ code, ...occurrence(code) })
}

/** A complete answer with a problem, as sent over HTTP. */
export function exampleProblemAnswer(code: ProblemCode): string {
  const { status } = problemRow(code)
  const counted = submissionCodes.includes(code) || aliasCodes.includes(code)
  const example = (name: HeaderName) => headerFact(name).example
  const value = (name: HeaderName) => {
    if (code === 'rate_limited' && name === 'RateLimit-Remaining') return '0'
    if (code === 'rate_limited' && name === 'RateLimit-Reset') return example('Retry-After')
    return status === 503 && name === 'Retry-After' ? '2' : example(name)
  }
  const names: readonly HeaderName[] = [
    ...(problemHeaders[code] ?? []),
    ...(counted ? rateHeaders : []),
    'X-Request-Id',
  ]
  const headers = names.map((name) => [name, value(name)] as const)
  return showAnswer(status, problemMediaType, headers, exampleProblem(code))
}
