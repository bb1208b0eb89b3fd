// What callers read on an error has one home, and nothing in it is left over (src/words/).
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createProblem } from '../src/problem/document.ts'
import { problemTable, say } from '../src/problem/table.ts'
import * as faultWords from '../src/words/faults.ts'
import * as problemWords from '../src/words/problems.ts'
import { root } from './support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const sources = globSync(['src/**/*.ts', 'proto/**/*.proto'], { cwd: root }).filter(
  (file) => !/^src\/(gen|words)\//.test(file),
)
const code = sources.map(read).join('\n')

/** Tables whose ids are used as such: by codes in `errors`, or one for each row of the problem table. */
const wholeTables = ['faults', 'problems', 'parts', 'faultCodes']
const tables = Object.entries({ ...faultWords, ...problemWords })
/** Every text of the catalogue, with the path of its id. */
const texts: [path: string, text: string][] = tables.flatMap(([table, words]) =>
  Array.isArray(words) ? [] : textsIn(table, words),
)

function textsIn(path: string, words: unknown): [string, string][] {
  if (typeof words === 'string') return [[path, words]]
  return Object.entries(words as object).flatMap(([id, inner]) => textsIn(`${path}.${id}`, inner))
}

suite('the words of errors', () => {
  test('have no sentence that nothing uses', () => {
    for (const [table, words] of tables) {
      if (wholeTables.includes(table) || typeof words === 'string' || Array.isArray(words)) continue
      for (const id of Object.keys(words)) {
        const named = new RegExp(`\\b${table}\\.${id}\\b|send: "${id}"|\\.send = "${id}"|\\b${table}\\[`)
        assert.match(code, named, `${table}.${id}`)
      }
    }
    for (const id of Object.keys(problemWords.parts)) {
      const shared = texts.some(([, text]) => text.includes(`{{${id}}}`))
      assert(shared || code.includes(`parts.${id}`), `parts.${id}`)
    }
    for (const id of Object.keys(problemWords.problems)) assert(Object.hasOwn(problemTable, id), `problems.${id}`)
  })

  test('have no placeholder that nothing fills', () => {
    const filledLater = 'contact wordingPlace freeText field header max cause message method allow limit'.split(' ')
    const known = new Set([...filledLater, 'windowSeconds', 'resetSeconds', 'caller', 'role'])
    for (const [path, text] of texts)
      for (const [, name = ''] of say(text).matchAll(/\{\{(\w+)\}\}/g)) assert(known.has(name), `${path}: ${name}`)
    for (const id of Object.keys(problemTable))
      for (const door of ['rest', 'rpc'] as const) {
        const { title, detail, hint } = createProblem(
          '',
          { code: id as keyof typeof problemTable, requestId: '' },
          door,
        )
        assert.doesNotMatch(title + detail + hint, /\{\{/, id)
      }
  })

  test('do not say the same twice', () => {
    const seen = new Map<string, string>()
    const sentences = texts
      .filter(([path]) => path.endsWith('.hint') || /Hints\.|situations\.|parts\./.test(path))
      .filter(([, text]) => !/^\{\{\w+\}\}$/.test(text))
    for (const [path, text] of sentences) {
      assert.equal(seen.get(text), undefined, path)
      seen.set(text, path)
    }
  })
})
