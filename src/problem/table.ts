import { fillSentence } from '../lead/sentences.ts'
import { problems } from '../words/problems.ts'

export type Retry = 'never' | 'after_correction' | 'after_wait'

export interface ProblemRow {
  /** HTTP status, or null for a problem of RPC only. */
  status: number | null
  /** The name of the Connect code, or null for a problem of REST only. */
  connect: string | null
  retry: Retry
  /** Whether the same request, unchanged, can succeed later. Follows from `retry`. */
  retryable: boolean
  /** The words of src/words/problems.ts, in which `{{contact}}` and `{{wordingPlace}}` are still to be filled. */
  title: string
  detail: string
  hint: string
}

type Row = Pick<ProblemRow, 'retry'> & { status?: number; connect?: string }

/** How long to wait before the next attempt if the error itself does not say. */
export const retryAfterDefaultSeconds = 2

/** The public contract (docs/specification.md §5). A released code never changes its meaning. */
const publicRows = {
  malformed_json: { status: 400, retry: 'after_correction' },
  invalid_body: { status: 400, retry: 'after_correction' },
  credentials_not_accepted: { status: 400, retry: 'after_correction' },
  idempotency_key_invalid: { status: 400, connect: 'invalid_argument', retry: 'after_correction' },
  bad_request: { status: 400, retry: 'after_correction' },
  not_found: { status: 404, connect: 'not_found', retry: 'never' },
  method_not_allowed: { status: 405, retry: 'after_correction' },
  request_timeout: { status: 408, retry: 'after_wait' },
  version_removed: { status: 410, retry: 'never' },
  body_too_large: { status: 413, retry: 'after_correction' },
  unsupported_media_type: { status: 415, retry: 'after_correction' },
  unsupported_content_encoding: { status: 415, retry: 'after_correction' },
  consent_required: { status: 422, connect: 'failed_precondition', retry: 'after_correction' },
  validation_failed: { status: 422, connect: 'invalid_argument', retry: 'after_correction' },
  test_lead_rejected: { status: 422, connect: 'failed_precondition', retry: 'after_correction' },
  idempotency_key_reused: { status: 422, connect: 'failed_precondition', retry: 'after_correction' },
  rate_limited: { status: 429, retry: 'after_wait' },
  header_fields_too_large: { status: 431, retry: 'after_correction' },
  internal_error: { status: 500, connect: 'internal', retry: 'after_wait' },
  service_unavailable: { status: 503, connect: 'unavailable', retry: 'after_wait' },
  overloaded: { status: 503, connect: 'unavailable', retry: 'after_wait' },
} satisfies Partial<Record<keyof typeof problems, Row & { status: number }>>

/** Problems of the internal listener only, which are not part of the public contract. */
const internalRows = {
  lead_not_found: { connect: 'not_found', retry: 'never' },
  invalid_argument: { connect: 'invalid_argument', retry: 'after_correction' },
  cursor_lost: { connect: 'out_of_range', retry: 'after_correction' },
  failed_precondition: { connect: 'failed_precondition', retry: 'never' },
  permission_denied: { connect: 'permission_denied', retry: 'never' },
  inbox_unavailable: { connect: 'unavailable', retry: 'after_wait' },
  deadline_exceeded: { connect: 'deadline_exceeded', retry: 'after_wait' },
  call_canceled: { connect: 'canceled', retry: 'after_wait' },
  browser_refused: { status: 403, retry: 'never' },
  content_type_refused: { status: 415, retry: 'after_correction' },
} satisfies Partial<Record<keyof typeof problems, Row>>

export type ProblemCode = keyof typeof publicRows
export type InternalCode = keyof typeof internalRows

/** All problems of this service: the table behind REST, RPC, the OpenAPI document, the problem pages and the tests. */
export const problemTable = Object.fromEntries(
  Object.entries<Row>({ ...publicRows, ...internalRows }).map(([code, row]) => {
    const { title, detail, hint } = problems[code as keyof typeof problems]
    const texts = { title, detail: fillSentence(detail), hint: fillSentence(hint) }
    return [code, { status: null, connect: null, ...row, retryable: row.retry === 'after_wait', ...texts }]
  }),
) as Record<ProblemCode, ProblemRow & { status: number }> & Record<InternalCode, ProblemRow>

export function isPublicCode(code: ProblemCode | InternalCode): code is ProblemCode {
  return Object.hasOwn(publicRows, code)
}

export const problemCodes = Object.keys(publicRows) as ProblemCode[]
