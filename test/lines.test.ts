import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLines } from '../src/lines.ts'

/** Writes a file and reads its lines. */
async function linesOf(text: string, onOverlong?: () => void): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'))
  try {
    const file = join(folder, 'log')
    writeFileSync(file, text)
    return await Array.fromAsync(readLines(file, onOverlong))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('reads every line, with or without an end', async () => {
  assert.deepEqual(await linesOf(''), [])
  assert.deepEqual(await linesOf('one\n\ntwo\r\nthree'), ['one', '', 'two\r', 'three'])
  // JSON leaves these line separators as they are.
  assert.deepEqual(await linesOf('{"a":"\u2028\u2029"}\n'), ['{"a":"\u2028\u2029"}'])
  const many = Array.from({ length: 30_000 }, (_, index) => `line ${index} é`)
  assert.deepEqual(await linesOf(many.join('\n')), many)
})

test('leaves out a line that is longer than any of the log, and reports it once', async () => {
  const longest = 'a'.repeat(1_048_576)
  let overlong = 0
  const count = () => overlong++
  const text = `before\n${longest}a\n${longest}\nafter`
  assert.deepEqual(await linesOf(text, count), ['before', longest, 'after'])
  assert.equal(overlong, 1)
  assert.deepEqual(await linesOf(`before\n${longest}${longest}`, count), ['before'])
  assert.equal(overlong, 2)
})

test('rejects for a folder', async () => {
  await assert.rejects(Array.fromAsync(readLines(tmpdir())), { code: 'EISDIR' })
})
