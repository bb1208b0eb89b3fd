import type { faults } from '../words/faults.ts'
import { problems } from '../words/problems.ts'

export type FaultCode = keyof typeof faults

/** One invalid field. Never contains the submitted value. */
export interface Fault {
  /** The field as a JSON Pointer in URI fragment form (RFC 6901 §6), such as `#/phone`. */
  pointer: string
  code: FaultCode
  /** What the value must be. Completes a sentence that starts with the field's name. */
  detail: string
  hint: string
  /** The field that an unknown member was probably meant to be. */
  suggestion?: string
}

/** What one occurrence of a problem says in place of the problem table. */
export interface Occurrence {
  /** Never contains a submitted value. */
  detail?: string | undefined
  hint?: string | undefined
  faults?: readonly Fault[] | undefined
  /** When to retry, in whole seconds. Only with a retryable code. */
  retryAfterSeconds?: number | undefined
  /** For the log. No caller sees it. */
  cause?: unknown
}

/** The error that the domain throws. Adapters render it with the problem table; callers see nothing else of it. */
export class LeadError extends Error {
  override readonly name = 'LeadError'
  readonly code: keyof typeof problems
  readonly faults: readonly Fault[]
  readonly hint: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: keyof typeof problems, { detail, hint, faults = [], retryAfterSeconds, cause }: Occurrence = {}) {
    super(detail ?? problems[code].detail, { cause })
    this.code = code
    this.faults = faults
    this.hint = hint
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The maximum length of a member name in a pointer, to keep the answer short. */
const memberShownMax = 120

/** The JSON Pointer of a top-level member, as a URI fragment (RFC 6901 §6). Long names end with an ellipsis. */
export function pointerTo(member: string): string {
  let shown = ''
  // A lone surrogate has no UTF-8 encoding, so it becomes U+FFFD.
  for (const character of member.toWellFormed()) {
    const escaped = encodeURIComponent(character.replace('~', '~0').replace('/', '~1'))
    if (shown.length + escaped.length > memberShownMax) return `#/${shown}${encodeURIComponent('…')}`
    shown += escaped
  }
  return `#/${shown}`
}
