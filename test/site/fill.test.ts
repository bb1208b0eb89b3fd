import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fill } from '../../src/site/fill.ts'

const shout = (text: string) => text.toUpperCase()

suite('fill', () => {
  test('inserts values escaped, and safe sources unchanged', () => {
    assert.equal(fill('a {{x}} {{y}} {{n}}', { x: 'b', y: { source: 'c' }, n: 3 }, shout), 'a B c 3')
  })

  test('keeps or drops sections, on their own lines, inline, and nested', () => {
    const text = '1\n{{#a}}\n2\n{{^b}}\n3\n{{/b}}\n{{/a}}\n{{^a}}\n4\n{{/a}}\n5{{#b}} six{{/b}}\n'
    assert.equal(fill(text, { a: true, b: false }, shout), '1\n2\n3\n5\n')
    assert.equal(fill(text, { a: undefined, b: 'x' }, shout), '1\n4\n5 six\n')
  })

  test('does not expand placeholders inside a value', () => {
    assert.equal(fill('{{x}}', { x: { source: '{{y}}' } }, shout), '{{y}}')
  })

  test('throws on a name without a value', () => {
    assert.throws(() => fill('{{missing}}', {}, shout), /no value for \{\{missing\}\}/)
    assert.throws(() => fill('{{#missing}}x{{/missing}}', {}, shout), /no value for/)
    assert.throws(() => fill('{{toString}}', {}, shout), /no value for/)
    assert.throws(() => fill('{{x}}', { x: undefined }, shout), /is empty/)
  })

  test('ignores single braces', () => {
    assert.equal(fill('/problems/{code}', {}, shout), '/problems/{code}')
  })
})
