// The patterns in /openapi.json mean the same without flags in JavaScript, Go (RE2), Python and Rust, so that generated
// validators accept and refuse what the service does.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { RRegex } from 'rregex'
import { newFolder } from '../support/folder.ts'
import { badCases, bodyOf, goodCases } from '../support/submissions.ts'
import { skipWithout } from '../support/tools.ts'
import { documentsOf } from './context.ts'

const go = `package main

import ("encoding/json"; "os"; "regexp")

func main() {
	var input struct{ Patterns, Texts []string }
	json.NewDecoder(os.Stdin).Decode(&input)
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
const white = [...'\t\n\v\f\r \u00a0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u0085\u180e']
const marks = '\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u200d\u0000\u0007\u007f\u009f\\"/@:#?[]^%<>|'
const odd = [...white, ...marks, ...'🧽é1+', '👩‍👧']
const values = [...goodCases, ...badCases].flatMap((each) => Object.values(bodyOf(each)))
const texts = [
  ...new Set([
    '',
    ...values.filter((value) => typeof value === 'string'),
    ...odd.flatMap((one) => [one, `a${one}b`, `${one}2025550123${one}`, `3${one}`, `${one}x`, `https://a.org/${one}`]),
    ...odd.flatMap((one) => [`https://a${one}.org/`, `a@b${one}.org`, `${one}2026-11-20T10:00:00Z${one}`]),
  ]),
].filter((text) => text.isWellFormed() && text.length < 3000)

/** What each engine says of every text, by pattern. */
const inJavaScript = (flags: string) =>
  patterns.map((pattern) => texts.map((text) => new RegExp(pattern, flags).test(text)))
const inRust = () =>
  patterns.map((pattern) => {
    const compiled = new RRegex(pattern)
    return texts.map((text) => compiled.isMatch(text))
  })
function inProgram(file: string, source: string, command: string, ...args: string[]): boolean[][] {
  const cwd = newFolder()
  writeFileSync(join(cwd, file), source)
  const env = { ...process.env, GO111MODULE: 'off' }
  const options = { cwd, env, input: JSON.stringify({ patterns, texts }), maxBuffer: 2 ** 26 }
  const { status, stdout, stderr } = spawnSync(command, [...args, file], { ...options, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/**
 * Fails when the CPU time of a pattern grows faster than its text, whose lengths are `n` and twice `n`: a doubled text
 * costs two times as much, or four times when each character is tried again. Other work on the machine only adds time,
 * so the least of several tries counts. A pattern that is not linear fails all of them.
 */
function assertLinear(pattern: RegExp, make: (n: number) => string, n: number, what: string): void {
  const [short, long] = [make(n), make(2 * n)]
  let [shortUs, longUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const cpuUs = (text: string) => {
    const before = process.cpuUsage()
    pattern.test(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  for (let count = 1; count <= 35; count++) {
    shortUs = Math.min(shortUs, cpuUs(short))
    longUs = Math.min(longUs, cpuUs(long))
    // Half a millisecond is too short to measure.
    if (count >= 7 && longUs < 3 * shortUs + 500) return
  }
  assert.fail(`${what}: ${shortUs} µs for ${n}, ${longUs} µs for ${2 * n}`)
}

suite('the patterns of /openapi.json', () => {
  const expected = inJavaScript('')
  for (const [name, verdictsOf, skip = false] of [
    ['JavaScript with the flag u', () => inJavaScript('u')],
    ['Rust', inRust],
    ['Go', () => inProgram('main.go', go, 'go', 'run'), skipWithout('go')],
    ['Python', () => inProgram('main.py', python, 'python3', '-W', 'error'), skipWithout('python3')],
  ] as const) {
    test(`mean the same in ${name} as in JavaScript`, { skip }, () => {
      assert(patterns.length >= 10 && texts.length >= 400, `${patterns.length}, ${texts.length}`)
      const verdicts = verdictsOf()
      for (const [row, pattern] of patterns.entries())
        for (const [column, text] of texts.entries()) {
          // Python's `$` also matches before a final line break, which the service removes.
          if (text.endsWith('\n')) continue
          const what = `${pattern} on ${JSON.stringify(text)}`
          assert.equal(verdicts[row]?.[column], expected[row]?.[column], what)
        }
    })
  }

  test('match in linear time on long texts that almost match', () => {
    for (const pattern of patterns) {
      const compiled = new RegExp(pattern)
      for (const unit of [' ', 'a', '\t', '\u00a0', '1', '.', '(', 'a.', 'a ', ' \t']) {
        for (const frame of ['x…\u0000', '…\u0000', '…\u0000x']) {
          const make = (n: number) => frame.replace('…', unit.repeat(n / unit.length))
          assertLinear(compiled, make, 10_000, `${pattern} on ${JSON.stringify(unit)}`)
        }
      }
    }
  })
})
