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
  /** What to do next, in the imperative. */
  hint: string
  /** The field that an unknown member was probably meant to be. */
  suggestion?: string
}

/** The domain's part of the problem codes (docs/specification.md §5). */
export type LeadErrorCode =
  | 'consent_required'
  | 'validation_failed'
  | 'test_lead_rejected'
  | 'idempotency_key_invalid'
  | 'idempotency_key_reused'
  | 'service_unavailable'
  | 'overloaded'
  | 'lead_not_found'
  | 'cursor_lost'
  | 'failed_precondition'
  | 'permission_denied'
  | 'invalid_argument'
  | 'inbox_unavailable'

/** The error that the domain throws. Adapters render it with the problem table, and show callers nothing else of it. */
export class LeadError extends Error {
  override readonly name = 'LeadError'
  readonly code: LeadErrorCode
  /** All invalid fields. Empty when the error is not about fields. */
  readonly faults: readonly Fault[]
  /** The next step, where the problem table's is too general. */
  readonly hint: string | undefined
  /** When to retry, in whole seconds. Only with a retryable code. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: LeadErrorCode,
    options: {
      /** What happened. Absent: what the problem table says. */
      detail?: string
      faults?: readonly Fault[]
      hint?: string | undefined
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(options.detail ?? problems[code].detail, { cause: options.cause })
    this.code = code
    this.faults = options.faults ?? []
    this.hint = options.hint
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The maximum length of a member name in a pointer. Escaping can triple a name, and an answer must stay short. */
const memberShownMax = 120

/** The JSON Pointer of a top-level member, as a URI fragment (RFC 6901 §6). Long names end with an ellipsis. */
export function pointerTo(member: string): string {
  let shown = ''
  for (const character of member) {
    const escaped = escapeCharacter(character)
    if (shown.length + escaped.length > memberShownMax) return `#/${shown}${encodeURIComponent('…')}`
    shown += escaped
  }
  return `#/${shown}`
}

function escapeCharacter(character: string): string {
  if (character === '~') return '~0'
  if (character === '/') return '~1'
  // A lone surrogate has no UTF-8 encoding, so it becomes U+FFFD.
  return encodeURIComponent(character.toWellFormed())
}
