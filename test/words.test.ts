// What callers read on an error has one home (src/words/).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillSentence } from '../src/lead/sentences.ts'
import { createProblem } from '../src/problem/document.ts'
import { type ProblemRow, problemTable } from '../src/problem/table.ts'
import * as faultWords from '../src/words/faults.ts'
import { inboxFaults } from '../src/words/inbox.ts'
import * as problemWords from '../src/words/problems.ts'

/** Every text of the catalogue, with the path of its id. */
const texts = textsIn('', { ...faultWords, ...problemWords, inboxFaults })

function textsIn(path: string, words: unknown): [path: string, text: string][] {
  if (typeof words === 'string') return [[path, words]]
  return Object.entries(words as object).flatMap(([id, inner]) => textsIn(`${path}.${id}`, inner))
}

test('the words of errors have no placeholder that nothing fills', () => {
  const filledLater = 'contact wordingPlace freeText field header max cause message method allow limit'.split(' ')
  const known = new Set([...filledLater, 'windowSeconds', 'resetSeconds', 'caller', 'role', 'other', 'fields'])
  for (const [path, text] of texts)
    for (const [, name = ''] of fillSentence(text).matchAll(/\{\{(\w+)\}\}/g)) assert(known.has(name), path + name)
  for (const id of Object.keys(problemTable) as (keyof typeof problemTable)[])
    for (const door of ['rest', 'rpc'] as const) {
      const { title, detail, hint }: Partial<ProblemRow> = createProblem('', '', { code: id }, door)
      assert.doesNotMatch(`${title}${detail}${hint}`, /\{\{/, id)
    }
})

test('for every code that cannot be retried, the problem table says only what to do instead', () => {
  for (const [code, { retry, hint }] of Object.entries<ProblemRow>(problemTable))
    if (retry === 'never') assert.doesNotMatch(hint, /\bagain\b|once more/i, code)
})
