/** The codes of an entry in a problem's `errors` (docs/specification.md §5). A code, once released, never changes its meaning. */
export type FaultCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_value'
  | 'too_long'
  | 'invalid_phone'
  | 'invalid_email'
  | 'invalid_count'
  | 'invalid_date_time'
  | 'invalid_url'
  | 'invalid_characters'
  | 'unknown_field'
  | 'consent_required'
  | 'reserved_domain'
  | 'reserved_phone'
  | 'unassignable_phone'

/** One field at fault. Never holds the submitted value. */
export interface Fault {
  /** The field as a JSON Pointer in URI fragment form (RFC 6901 §6), such as `#/phone`. */
  pointer: string
  code: FaultCode
  /** What the value must be, as the end of a sentence that begins with the field's name. */
  detail: string
  /** What to do next, in the imperative. */
  hint: string
  /** The field that a member of another name was probably meant to be. */
  suggestion?: string
}

/** The ways in which the domain refuses a submission: a part of the problem codes (docs/specification.md §5). */
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

/** What the domain throws. Adapters render it by the problem table; nothing else in it reaches a caller. */
export class LeadError extends Error {
  override readonly name = 'LeadError'
  readonly code: LeadErrorCode
  /** Every field at fault; empty for an error that is not about fields. */
  readonly faults: readonly Fault[]
  /** Whole seconds after which to try again; only with a retryable code. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: LeadErrorCode,
    detail: string,
    options: { faults?: readonly Fault[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause })
    this.code = code
    this.faults = options.faults ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/**
 * The most characters of a member's name in a pointer: twice the longest name that an honest caller would think of. A byte
 * of a name may become three characters, and an answer must not be much longer than the request that it refuses.
 */
const memberShownMax = 120

/**
 * The JSON Pointer of a top-level member in URI fragment form (RFC 6901 §4 and §6). Of a longer name it has the beginning
 * and an ellipsis.
 */
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
  // A lone surrogate has no UTF-8 form, so it is shown as U+FFFD.
  return encodeURIComponent(character.toWellFormed())
}
