import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultOf } from '../../src/lead/rules.ts'
import { createProblemRenderer } from '../../src/problem/document.ts'
import { type ProblemRow, problemCodes, problemTable } from '../../src/problem/table.ts'

const baseUrl = 'https://api.example.org'
const requestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'

suite('the problem table', () => {
  const rows = Object.entries<ProblemRow>(problemTable)

  test('says for every code that cannot be retried only what to do instead', () => {
    for (const [code, { retry, hint }] of rows)
      if (retry === 'never') assert.doesNotMatch(hint, /\bagain\b|once more/i, code)
  })
})

const consent = { version: '2026-01-01', wording: 'I ask them to call me.', url: `${baseUrl}/terms#consent` }
const render = createProblemRenderer(baseUrl, { phone: '(202) 555-0100', email: 'hello@example.com', consent })

test('a problem whose hints name the wording includes it, and no other problem does', () => {
  const faults = [faultOf('communicationsConsent', 'consent_required'), faultOf('name', 'required')]
  for (const code of ['consent_required', 'validation_failed'] as const)
    assert.deepEqual(JSON.parse(render({ code, requestId, faults })).consent, consent)
  for (const code of problemCodes) {
    const { hint, consent: shown } = JSON.parse(render({ code, requestId }))
    assert.deepEqual(shown, hint.includes('consent.wording') ? consent : undefined, code)
  }
})
