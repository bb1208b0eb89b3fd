import type { HeaderFields } from '../header-fields.ts'
import type { ProblemCode } from '../problem/table.ts'

/** A condition that only this facade meets, with the fields that the answer has to carry. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  /** What happened this time; the problem table's words when absent. */
  readonly detail: string | undefined
  readonly fields: HeaderFields

  constructor(code: ProblemCode, options: { detail?: string; fields?: HeaderFields } = {}) {
    super(options.detail ?? code)
    this.code = code
    this.detail = options.detail
    this.fields = options.fields ?? []
  }
}
