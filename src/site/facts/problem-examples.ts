import { STATUS_CODES } from 'node:http'
import type { Fault } from '../../lead/error.ts'
import { faultOf, leadRules } from '../../lead/rules.ts'
import { createConsentNotice } from '../../problem/consent-notice.ts'
import { createProblemRenderer, type ProblemOccurrence, problemMediaType, problemRow } from '../../problem/document.ts'
import type { ProblemCode } from '../../problem/table.ts'
import type { DiscoveryContext } from '../context.ts'
import { exampleRequestId, showJson } from './examples.ts'
import { type HeaderName, headerFact } from './headers.ts'
import { aliasCodes, problemHeaders, rateHeaders, submissionCodes } from './operations.ts'

function ruleFault(field: string, fault: 'type' | 'value'): Fault {
  const rule = leadRules.quote.find(({ name }) => name === field)
  if (!rule) throw new Error(`no rule for ${field}`)
  return rule.faults[fault]
}

/** What an example adds to the problem table. */
function occurrence(code: ProblemCode, context: DiscoveryContext): Omit<ProblemOccurrence, 'code' | 'requestId'> {
  const { limit, windowSeconds } = context.policy
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
        detail: `The limit of ${limit} submissions in ${windowSeconds} seconds is used up.`,
        retryAfterSeconds: Number(exampleHeader('Retry-After', context)),
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
export function exampleProblem(code: ProblemCode, context: DiscoveryContext): unknown {
  const render = createProblemRenderer(context.baseUrl, createConsentNotice(context.baseUrl, context.consent))
  return JSON.parse(render({ code, requestId: exampleRequestId, ...occurrence(code, context) }))
}

/** An example value of a header, as this deployment sends it. */
export function exampleHeader(name: HeaderName, { policy }: DiscoveryContext): string {
  switch (name) {
    case 'RateLimit-Limit':
      return String(policy.limit)
    case 'RateLimit-Remaining':
      return String(policy.limit - 1)
    case 'RateLimit-Reset':
      return String(policy.windowSeconds)
    case 'RateLimit-Policy':
      return `${policy.limit};w=${policy.windowSeconds}`
    case 'Retry-After':
      return String(Math.ceil(policy.windowSeconds * 0.7))
    default:
      return headerFact(name).example
  }
}

/** A complete answer with a problem, as sent over HTTP. */
export function exampleProblemAnswer(code: ProblemCode, context: DiscoveryContext): string {
  const { status } = problemRow(code)
  const counted = submissionCodes.includes(code) || aliasCodes.includes(code)
  const limited = code === 'rate_limited'
  const value = (name: HeaderName) => {
    if (limited && name === 'RateLimit-Remaining') return '0'
    if (limited && name === 'RateLimit-Reset') return exampleHeader('Retry-After', context)
    return status === 503 && name === 'Retry-After' ? '2' : exampleHeader(name, context)
  }
  const names: readonly HeaderName[] = [
    ...(problemHeaders[code] ?? []),
    ...(counted ? rateHeaders : []),
    'X-Request-Id',
  ]
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${problemMediaType}`,
    ...names.map((name) => `${name}: ${value(name)}`),
    '',
    showJson(exampleProblem(code, context)),
  ].join('\n')
}
