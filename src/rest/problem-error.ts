import type { HeaderFields } from '../header-fields.ts'
import type { ProblemOccurrence } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'

/** What one occurrence adds to its row in the problem table. */
type Particulars = Omit<ProblemOccurrence, 'code' | 'requestId' | 'faults'>

/** A problem that only this facade reports, with the header fields that its answer must have. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly particulars: Particulars
  readonly fields: HeaderFields

  constructor(code: ProblemCode, { fields = [], ...particulars }: Particulars & { fields?: HeaderFields } = {}) {
    super(particulars.detail ?? code)
    this.code = code
    this.particulars = particulars
    this.fields = fields
  }
}

/**
 * The refusal of a method. `method` is undefined when Node does not know it, because then it is the caller's own text.
 */
export function refuseMethod(allow: string, method?: string): ProblemError {
  return new ProblemError('method_not_allowed', {
    detail: `${method ?? 'The method'} is not allowed here. Allowed: ${allow}.`,
    allowedMethods: allow.split(', '),
    fields: ['Allow', allow],
  })
}
