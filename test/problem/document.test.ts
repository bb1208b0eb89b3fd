import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultOf } from '../../src/lead/rules.ts'
import { createProblem, createProblemRenderer } from '../../src/problem/document.ts'

const baseUrl = 'https://api.example.org'
const requestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'
const consent = { version: '2026-01-01', wording: 'I ask them to call me.', url: `${baseUrl}/terms#consent` }
const render = createProblemRenderer(baseUrl, consent)

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

  test('repeats what its headers say', () => {
    const limited = JSON.parse(render({ code: 'rate_limited', requestId, retryAfterSeconds: 41 }))
    assert.deepEqual([limited.retry, limited.retryAfterSeconds], ['after_wait', 41])
    const refused = JSON.parse(render({ code: 'method_not_allowed', requestId, allowedMethods: ['POST', 'OPTIONS'] }))
    assert.deepEqual(refused.allowedMethods, ['POST', 'OPTIONS'])
  })

  test('lists at most 50 faults and the number of the others', () => {
    const faults = Array.from({ length: 53 }, (_, index) => faultOf(`m${index}`, 'unknown_field'))
    const { errors, errorsOmitted } = createProblem(baseUrl, { code: 'validation_failed', requestId, faults })
    assert.deepEqual([errors?.length, errors?.at(-1)?.pointer, errorsOmitted], [50, '#/m49', 3])
    const fewer = createProblem(baseUrl, { code: 'validation_failed', requestId, faults: faults.slice(3) })
    assert.deepEqual([fewer.errors?.length, fewer.errorsOmitted], [50, undefined])
  })

  test('about consent includes the wording for the customer, and no other problem does', () => {
    const faults = [faultOf('communicationsConsent', 'consent_required'), faultOf('name', 'required')]
    for (const code of ['consent_required', 'validation_failed'] as const)
      assert.deepEqual(JSON.parse(render({ code, requestId, faults })).consent, consent)
    const other = JSON.parse(render({ code: 'validation_failed', requestId, faults: faults.slice(1) }))
    assert.equal('consent' in other, false)
  })

  test('of the internal listener has no page', () => {
    assert.equal(createProblem(baseUrl, { code: 'lead_not_found', requestId }).type, undefined)
  })

  test('says that a refused submission counts against the limit', () => {
    assert.match(JSON.parse(render({ code: 'validation_failed', requestId })).hint, /count against the rate limit/)
  })
})
