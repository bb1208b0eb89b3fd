import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultOf } from '../../src/lead/rules.ts'
import { createProblem, createProblemRenderer } from '../../src/problem/document.ts'
import { type ProblemRow, problemCodes, problemTable } from '../../src/problem/table.ts'

const baseUrl = 'https://api.example.org'
const requestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'

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

  test('says of every wait of a submission in one wording how to send again, and when to stop', () => {
    const again =
      'send the same request again, unchanged and with the same key; a repeated lead is recognized. After three attempts, stop: the customer calls {{phone}}.'
    for (const code of problemCodes) {
      const { retry, hint } = problemTable[code]
      assert.equal(hint.includes(again), retry === 'after_wait', code)
    }
  })

  test('never suggests a retry where none can succeed', () => {
    for (const [code, { retry, hint }] of rows) {
      if (retry === 'never') assert.doesNotMatch(hint, /\bagain\b|once more/i, code)
    }
  })

  test('gives every code of the public listener a page, and no other', () => {
    for (const [code, { status }] of rows) {
      const isPublic = status !== null && code !== 'browser_refused'
      assert.equal(problemCodes.includes(code as never), isPublic, code)
      assert.equal(createProblem(baseUrl, { code: code as never, requestId }).type !== undefined, isPublic, code)
    }
  })
})

const consent = { version: '2026-01-01', wording: 'I ask them to call me.', url: `${baseUrl}/terms#consent` }
const render = createProblemRenderer(baseUrl, { phone: '(202) 555-0100', consent })

suite('a problem', () => {
  test('combines the table and the occurrence, and copies detail into error', () => {
    assert.deepEqual(JSON.parse(render({ code: 'body_too_large', requestId })), {
      type: 'https://api.example.org/problems/body_too_large',
      title: 'The body is too large',
      status: 413,
      detail: 'The request body is larger than 20,000 bytes.',
      instance: `urn:uuid:${requestId}`,
      code: 'body_too_large',
      hint: 'Shorten notes or message: each takes at most 5,000 characters, and the whole body at most 20,000 bytes.',
      retryable: false,
      retry: 'after_correction',
      error: 'The request body is larger than 20,000 bytes.',
    })
  })

  test('lists at most 50 faults and the number of the others', () => {
    const faults = Array.from({ length: 53 }, (_, index) => faultOf(`m${index}`, 'unknown_field'))
    const { errors, errorsOmitted } = createProblem(baseUrl, { code: 'validation_failed', requestId, faults })
    assert.deepEqual([errors?.length, errors?.at(-1)?.pointer, errorsOmitted], [50, '#/m49', 3])
    const fewer = createProblem(baseUrl, { code: 'validation_failed', requestId, faults: faults.slice(3) })
    assert.deepEqual([fewer.errors?.length, fewer.errorsOmitted], [50, undefined])
  })

  test('names whom the customer can call', () => {
    for (const code of ['not_found', 'consent_required', 'validation_failed', 'internal_error'] as const) {
      const { hint, errors } = JSON.parse(render({ code, requestId, faults: [faultOf('phone', 'invalid_phone')] }))
      for (const text of [hint, errors[0].hint]) assert.match(text, /(?:calls?|give them) \(202\) 555-0100/)
    }
  })

  test('whose hints name the wording includes it, and no other problem does', () => {
    const faults = [faultOf('communicationsConsent', 'consent_required'), faultOf('name', 'required')]
    for (const code of ['consent_required', 'validation_failed'] as const)
      assert.deepEqual(JSON.parse(render({ code, requestId, faults })).consent, consent)
    for (const code of ['invalid_body', 'unsupported_media_type'] as const)
      assert.deepEqual(JSON.parse(render({ code, requestId })).consent, consent)
    const other = JSON.parse(render({ code: 'validation_failed', requestId, faults: faults.slice(1) }))
    assert.equal('consent' in other, false)
  })
})
