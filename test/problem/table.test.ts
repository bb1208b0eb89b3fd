import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isPublicCode, type ProblemRow, problemCodes, problemTable } from '../../src/problem/table.ts'

/** The table in docs/specification.md §5, and what that section says about `retry`. */
const specified: Record<
  keyof typeof problemTable,
  [status: number | null, connect: string | null, retryable: boolean]
> = {
  malformed_json: [400, 'invalid_argument', false],
  invalid_body: [400, 'invalid_argument', false],
  credentials_not_accepted: [400, 'invalid_argument', false],
  idempotency_key_invalid: [400, 'invalid_argument', false],
  bad_request: [400, 'invalid_argument', false],
  not_found: [404, 'unimplemented', false],
  method_not_allowed: [405, null, false],
  request_timeout: [408, null, true],
  version_removed: [410, null, false],
  body_too_large: [413, 'resource_exhausted', false],
  unsupported_media_type: [415, null, false],
  unsupported_content_encoding: [415, null, false],
  consent_required: [422, 'failed_precondition', false],
  validation_failed: [422, 'invalid_argument', false],
  test_lead_rejected: [422, 'failed_precondition', false],
  idempotency_key_reused: [422, 'failed_precondition', false],
  rate_limited: [429, 'resource_exhausted', true],
  header_fields_too_large: [431, null, false],
  internal_error: [500, 'internal', true],
  service_unavailable: [503, 'unavailable', true],
  overloaded: [503, 'unavailable', true],
  lead_not_found: [null, 'not_found', false],
  invalid_argument: [null, 'invalid_argument', false],
  cursor_lost: [null, 'out_of_range', false],
  failed_precondition: [null, 'failed_precondition', false],
  permission_denied: [null, 'permission_denied', false],
  inbox_unavailable: [null, 'unavailable', true],
  deadline_exceeded: [null, 'deadline_exceeded', true],
  call_canceled: [null, 'canceled', true],
  browser_refused: [403, null, false],
}

suite('the problem table', () => {
  const rows = Object.entries<ProblemRow>(problemTable)

  test('is as specified', () => {
    const defined = rows.map(([code, { status, connect, retryable }]) => [code, [status, connect, retryable]])
    assert.deepEqual(Object.fromEntries(defined), specified)
  })

  test('says for every code whether and when to retry', () => {
    const corrected = [400, 405, 413, 415, 422]
    for (const [code, { status, retryable, retry }] of rows) {
      const correctable = corrected.includes(status ?? 0) || ['invalid_argument', 'cursor_lost'].includes(code)
      assert.equal(retry, retryable ? 'after_wait' : correctable ? 'after_correction' : 'never', code)
    }
  })

  test('never suggests a retry where none can succeed', () => {
    for (const [code, { retry, hint }] of rows) {
      if (retry === 'never') assert.doesNotMatch(hint, /\bagain\b|once more/i, code)
    }
  })

  test('gives exactly the public codes a page', () => {
    const internal = rows.filter(([code]) => !isPublicCode(code as never)).map(([code]) => code)
    assert.deepEqual([...problemCodes, ...internal].sort(), Object.keys(problemTable).sort())
    assert.deepEqual(
      internal.filter((code) => specified[code as keyof typeof specified][0] !== null),
      ['browser_refused'],
    )
  })
})
