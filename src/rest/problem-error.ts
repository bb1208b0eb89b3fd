import type { ProblemOccurrence } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import type { HeaderFields } from './routes.ts'

/** What one occurrence adds to its row in the problem table. */
type Particulars = Omit<ProblemOccurrence, 'code' | 'requestId' | 'faults'>

/** A problem that only the public listener reports, with the header fields that its answer must have. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly particulars: Particulars
  readonly fields: HeaderFields
  /** The rendered problem, cut at the request's id. Set by its first answer. */
  parts: readonly string[] | undefined

  constructor(code: ProblemCode, { fields = {}, ...particulars }: Particulars & { fields?: HeaderFields } = {}) {
    super(particulars.detail ?? code)
    this.code = code
    this.particulars = particulars
    this.fields = fields
  }
}
