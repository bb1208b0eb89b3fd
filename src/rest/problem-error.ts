import type { ProblemOccurrence } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import type { HeaderFields } from './routes.ts'

/** What one occurrence adds to its row in the problem table. */
export interface Particulars extends Omit<ProblemOccurrence, 'code' | 'requestId' | 'faults'> {
  /** Header fields of the answer, beyond those of every problem. */
  fields?: HeaderFields
}

/** A problem that only the public listener reports. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly particulars: Particulars

  constructor(code: ProblemCode, particulars: Particulars = {}) {
    super(particulars.detail ?? code)
    this.code = code
    this.particulars = particulars
  }
}
