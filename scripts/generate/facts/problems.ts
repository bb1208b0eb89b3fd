import { type ProblemCode, problemCodes, problemTable } from '../../../src/problem/table.ts'

/** Additional problems of the deprecated alias. */
export const legacyCodes: readonly ProblemCode[] = ['version_removed']

/** The problems of requests that no operation describes: another path or method. */
const strayCodes: readonly ProblemCode[] = ['not_found', 'method_not_allowed']

/** The problems of anything but a submission: these, those of any request before its path matters, and our fault. */
export const otherCodes: readonly ProblemCode[] = [
  ...strayCodes,
  ...(['bad_request', 'request_timeout', 'header_fields_too_large', 'internal_error'] as const),
]

/** The problems of a submission, on either lead path: all others. */
export const submissionCodes = problemCodes.filter((code) => !legacyCodes.includes(code) && !strayCodes.includes(code))

/** Whether an example of the problem is the answer to a submission. */
export const isOfSubmission = (code: ProblemCode) => code !== 'header_fields_too_large' && !strayCodes.includes(code)

const ownHeaders: Partial<Record<ProblemCode, string>> = {
  method_not_allowed: 'Allow',
  unsupported_media_type: 'Accept',
  unsupported_content_encoding: 'Accept-Encoding',
}

/** The headers of a problem's answer, in addition to those of its operation. */
export function headersOf(code: ProblemCode): string[] {
  const own = ownHeaders[code] ?? (problemTable[code].hint.includes('retryAfterSeconds') ? 'Retry-After' : undefined)
  return own === undefined ? [] : [own]
}
