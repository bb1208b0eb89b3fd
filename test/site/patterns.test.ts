// The patterns in /openapi.json mean the same without flags in JavaScript, Go (RE2), Python and Rust, so that generated
// validators accept and refuse what the service does.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { RRegex } from 'rregex'
import { assertLinear } from '../support/growth.ts'
import { badCases, bodyOf, goodCases } from '../support/submissions.ts'
import { skipWithout } from '../support/tools.ts'
import { documentsOf } from './context.ts'

const go = `package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var input struct{ Patterns, Texts []string }
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	verdicts := [][]bool{}
	for _, pattern := range input.Patterns {
		compiled := regexp.MustCompile(pattern)
		row := []bool{}
		for _, text := range input.Texts {
			row = append(row, compiled.MatchString(text))
		}
		verdicts = append(verdicts, row)
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`
const python = `
import json, re, sys
given = json.load(sys.stdin)
print(json.dumps([[re.search(p, t) is not None for t in given["texts"]] for p in given["patterns"]]))
`

/** Every pattern in the document. */
function patternsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'pattern' && typeof inner === 'string' ? [inner] : patternsOf(inner),
  )
}

const openapi = documentsOf()('/openapi.json').body
const description = JSON.parse(openapi)
const patterns = [...new Set(patternsOf(description))]
const { QuoteRequest, ContactMessage } = description.components.schemas
const ofFields = patternsOf([QuoteRequest, ContactMessage])
/** Whether a pattern is of a submitted value. Python's `$` also matches before a final line break. */
const submitted = patterns.map((pattern) => ofFields.includes(pattern))
const white = [...'\t\n\v\f\r \u00a0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u0085\u180e']
const odd = [
  ...white,
  ...'\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u200d\u0000\u0007\u007f\u009f\\"/@:#?[]^%<>|',
  '🧽',
  '👩‍👧',
  'é',
  '1',
  '+',
]
const values = [...goodCases, ...badCases].flatMap((each) => Object.values(bodyOf(each)))
const texts = [
  ...new Set([
    '',
    ...values.filter((value) => typeof value === 'string'),
    ...odd.flatMap((one) => [one, `a${one}b`, `${one}2025550123${one}`, `3${one}`, `${one}x`, `https://a.org/${one}`]),
    ...odd.flatMap((one) => [`https://a${one}.org/`, `a@b${one}.org`, `${one}2026-11-20T10:00:00Z${one}`]),
  ]),
].filter((text) => text.isWellFormed() && text.length < 3000)

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'patterns-'))
  writeFileSync(join(folder, 'main.go'), go)
  writeFileSync(join(folder, 'main.py'), python)
})
after(() => rmSync(folder, { recursive: true, force: true }))

suite('the patterns of /openapi.json', () => {
  const expected = patterns.map((pattern) => texts.map((text) => new RegExp(pattern).test(text)))
  function assertSame(
    verdict: (text: string, row: number, column: number) => boolean | undefined,
    concerns = (_text: string, _row: number) => true,
  ): void {
    for (const [row, pattern] of patterns.entries())
      for (const [column, text] of texts.entries())
        if (concerns(text, row))
          assert.equal(verdict(text, row, column), expected[row]?.[column], `${pattern} on ${JSON.stringify(text)}`)
  }

  const engines: [name: string, skip: string | false, command: string, ...args: string[]][] = [
    ['Go', skipWithout('go'), 'go', 'run', 'main.go'],
    ['Python', skipWithout('python3'), 'python3', '-W', 'error', 'main.py'],
  ]
  for (const [name, skip, command, ...args] of engines) {
    test(`mean the same in ${name} as in JavaScript`, { skip }, () => {
      const env = { ...process.env, GO111MODULE: 'off' }
      const input = JSON.stringify({ patterns, texts })
      const options = { cwd: folder, input, env, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
      const { status, stdout, stderr } = spawnSync(command, args, options)
      assert.equal(status, 0, stderr)
      const verdicts: boolean[][] = JSON.parse(stdout)
      // What differs only before a final line break concerns headers, which cannot contain one.
      assertSame(
        (_text, row, column) => verdicts[row]?.[column],
        (text, row) => submitted[row] || !text.endsWith('\n'),
      )
    })
  }

  test('mean the same with the flag u, and in Rust', () => {
    assert(patterns.length >= 12 && texts.length >= 400, `${patterns.length}, ${texts.length}`)
    const unicode = patterns.map((pattern) => new RegExp(pattern, 'u'))
    const rust = patterns.map((pattern) => new RRegex(pattern))
    assertSame((text, row) => unicode[row]?.test(text))
    assertSame((text, row) => rust[row]?.isMatch(text))
  })

  test('have no surrogates, lookaround or engine-dependent classes', () => {
    for (const pattern of patterns) assert.doesNotMatch(pattern, /\\u|\\[sSwWdDbBpP]|\(\?[=!<]|[\ud800-\udfff]/)
  })

  test('match in linear time on long texts that almost match', () => {
    for (const pattern of patterns) {
      const compiled = new RegExp(pattern)
      for (const unit of [' ', 'a', '\t', '\u00a0', '1', '.', '(', 'a.', 'a ', ' \t']) {
        for (const [before, after] of [
          ['x', '\u0000'],
          ['', '\u0000'],
          ['', '\u0000x'],
        ] as const) {
          const make = (n: number) => `${before}${unit.repeat(n / unit.length)}${after}`
          assertLinear((text) => compiled.test(text), make, 10_000, `${pattern} on ${JSON.stringify(unit)}`)
        }
      }
    }
  })
})
