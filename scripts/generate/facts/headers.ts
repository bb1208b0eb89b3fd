import { aliasPath, apiRootPath, leadsPath } from '../../../src/public-paths.ts'

/** A header of the public contract. */
export interface HeaderFact {
  /** Which side sends it. */
  sentBy: 'caller' | 'service'
  /** The requests or answers that have it. Completes a sentence. */
  where: string
  /** What it means. May contain `code`. */
  meaning: string
  /** An example value, as this deployment sends it. */
  example: string
  /** The document that defines it, unless that is HTTP itself. */
  standard?: string
}

const rateDraft = 'draft-ietf-httpapi-ratelimit-headers-06'
const keyDraft = 'draft-ietf-httpapi-idempotency-key-header-07'

/** All headers that callers send or read, except those that every HTTP message has. */
const headerTable = {
  'Content-Type': {
    sentBy: 'caller',
    where: 'every submission',
    meaning: 'Must be `application/json`; a `charset` may only be `utf-8`.',
    example: 'application/json',
  },
  'Idempotency-Key': {
    sentBy: 'caller',
    where: 'a submission (optional)',
    meaning: 'Identifies this submission: the same key with the same content returns the first receipt again.',
    // A shell command, because a copied key would be reused.
    example: '$(uuidgen)',
    standard: keyDraft,
  },
  'X-Request-Id': {
    sentBy: 'service',
    where: 'every answer',
    meaning: 'The id of this request, a UUID. A problem repeats it in `instance`. Include it when you report an error.',
    example: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11',
  },
  'RateLimit-Limit': {
    sentBy: 'service',
    where: 'every answer to a submission',
    meaning: 'How many submissions a client may make in a window.',
    example: '{{limit}}',
    standard: rateDraft,
  },
  'RateLimit-Remaining': {
    sentBy: 'service',
    where: 'every answer to a submission',
    meaning: 'How many are left in this window.',
    example: '{{remaining}}',
    standard: rateDraft,
  },
  'RateLimit-Reset': {
    sentBy: 'service',
    where: 'every answer to a submission',
    meaning: 'The number of seconds until the window ends, not a date.',
    example: '{{windowSeconds}}',
    standard: rateDraft,
  },
  'RateLimit-Policy': {
    sentBy: 'service',
    where: 'every answer to a submission',
    meaning: 'The quota and its window in seconds.',
    example: '{{limit}};w={{windowSeconds}}',
    standard: rateDraft,
  },
  'Retry-After': {
    sentBy: 'service',
    where: 'every 429 and 503',
    meaning: 'How many seconds to wait before you try again. On 429 it equals `RateLimit-Reset`, and is at least 1.',
    example: '{{retryAfter}}',
    standard: 'RFC 9110',
  },
  'Idempotency-Replayed': {
    sentBy: 'service',
    where: 'a 201 that repeats an earlier receipt because its key was used before',
    meaning: 'Always `true`; absent on a first receipt.',
    example: 'true',
  },
  Deprecation: {
    sentBy: 'service',
    where: `every answer of \`${aliasPath}\``,
    meaning: 'When the path was deprecated, as `@` and the seconds since 1970.',
    example: '@1767225600',
    standard: 'RFC 9745',
  },
  Sunset: {
    sentBy: 'service',
    where: `every answer of \`${aliasPath}\` once a removal is scheduled`,
    meaning: 'When the path will be removed, as an HTTP date. Absent while no removal is scheduled.',
    example: 'Sat, 01 Jan 2028 00:00:00 GMT',
    standard: 'RFC 8594',
  },
  Link: {
    sentBy: 'service',
    where: `every answer of \`${aliasPath}\`, \`${apiRootPath}\`, the API catalog and the pages, and every problem of the lead paths`,
    meaning:
      'Related addresses: `service-desc` and `help` on a problem, `successor-version`, `deprecation` and `sunset` on the alias, `api-catalog` elsewhere.',
    example: `<${leadsPath}>; rel="successor-version"`,
    standard: 'RFC 8288',
  },
  Allow: {
    sentBy: 'service',
    where: 'every 405, and every answer to `OPTIONS`',
    meaning: 'The methods that this path supports.',
    example: 'POST, OPTIONS',
    standard: 'RFC 9110',
  },
  Accept: {
    sentBy: 'service',
    where: 'a 415 about the content type',
    meaning: 'The content type that is accepted.',
    example: 'application/json',
    standard: 'RFC 9110',
  },
  'Accept-Encoding': {
    sentBy: 'service',
    where: 'a 415 about the content encoding',
    meaning: 'The content encoding that is accepted: none.',
    example: 'identity',
    standard: 'RFC 9110',
  },
  'Access-Control-Allow-Origin': {
    sentBy: 'service',
    where: 'the lead paths, for the website forms of the business, and on machine-readable documents',
    meaning: 'Lets a page in a browser read the answer: the origin of an allowed form, or `*` on documents.',
    example: '*',
    standard: 'Fetch',
  },
  ETag: {
    sentBy: 'service',
    where: 'every document',
    meaning: 'Send it in `If-None-Match`; the answer is 304 if nothing has changed.',
    example: '"yH0nmPT5cbAWcfGNRCCHjmXPFks"',
    standard: 'RFC 9110',
  },
} as const satisfies Record<string, HeaderFact>

export type HeaderName = keyof typeof headerTable

/** All headers, in table order. */
export const headerNames = Object.keys(headerTable) as HeaderName[]

export function headerFact(name: HeaderName): HeaderFact {
  return headerTable[name]
}
