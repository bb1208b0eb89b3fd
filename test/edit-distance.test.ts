import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { editDistance } from '../src/edit-distance.ts'

suite('the edit distance', () => {
  for (const [from, to, distance] of [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['phone', 'phone', 0],
    ['phone', 'phne', 1],
    ['phone', 'phones', 1],
    ['phone', 'phane', 1],
    ['phone', 'pohne', 1],
    ['RATELIMIT', 'RATE_LIMIT', 1],
    ['ca', 'abc', 3],
    ['kitten', 'sitting', 3],
  ] as const) {
    test(`from "${from}" to "${to}" is ${distance}`, () => {
      assert.equal(editDistance(from, to), distance)
      assert.equal(editDistance(to, from), distance)
    })
  }
})
