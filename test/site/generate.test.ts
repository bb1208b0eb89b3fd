import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readContent } from '../../scripts/generate/content.ts'
import { exampleOf } from '../../scripts/generate/facts/examples.ts'

test('the generator names the file to edit when a field has no example, or a problem no page', () => {
  assert.throws(() => exampleOf('quote', 'parking'), /parking of quote: .* scripts\/generate\/facts\/examples\.ts/)
  assert.throws(() => readContent('problems/teapot.md'), /write src\/site\/content\/problems\/teapot\.md/)
})
