// What callers read on an error has one home (src/words/).
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultOf } from '../src/lead/rules.ts'
import { fillSentence } from '../src/lead/sentences.ts'
import { createProblem, createProblemRenderer } from '../src/problem/document.ts'
import { type ProblemRow, problemCodes, problemTable } from '../src/problem/table.ts'
import * as faultWords from '../src/words/faults.ts'
import { inboxFaults } from '../src/words/inbox.ts'
import * as problemWords from '../src/words/problems.ts'

/** Every text of the catalogue, with the path of its id. */
const texts = textsIn('', { ...faultWords, ...problemWords, inboxFaults, faultCodes: {} })

function textsIn(path: string, words: unknown): [path: string, text: string][] {
  if (typeof words === 'string') return [[path, words]]
  return Object.entries(words as object).flatMap(([id, inner]) => textsIn(`${path}.${id}`, inner))
}

test('the words of errors have no placeholder that nothing fills', () => {
  const filledLater = 'contact wordingPlace freeText field header max cause message method allow limit'.split(' ')
  const known = new Set([...filledLater, 'windowSeconds', 'resetSeconds', 'caller', 'role', 'other'])
  for (const [path, text] of texts)
    for (const [, name = ''] of fillSentence(text).matchAll(/\{\{(\w+)\}\}/g)) assert(known.has(name), path + name)
  for (const id of Object.keys(problemTable) as (keyof typeof problemTable)[])
    for (const door of ['rest', 'rpc'] as const) {
      const { title, detail, hint }: Partial<ProblemRow> = createProblem('', { code: id, requestId: '' }, door)
      assert.doesNotMatch(`${title}${detail}${hint}`, /\{\{/, id)
    }
})

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
