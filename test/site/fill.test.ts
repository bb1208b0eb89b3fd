import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fill } from '../../src/site/fill.ts'

const shout = (text: string) => text.toUpperCase()

suite('fill', () => {
  test('puts values in, escaped, and what is marked as safe as it is', () => {
    assert.equal(fill('a {{x}} {{y}} {{n}}', { x: 'b', y: { source: 'c' }, n: 3 }, shout), 'a B c 3')
  })

  test('keeps or drops sections, on lines of their own, inside of a line, and in each other', () => {
    const text = '1\n{{#a}}\n2\n{{^b}}\n3\n{{/b}}\n{{/a}}\n{{^a}}\n4\n{{/a}}\n5{{#b}} six{{/b}}\n'
    assert.equal(fill(text, { a: true, b: false }, shout), '1\n2\n3\n5\n')
    assert.equal(fill(text, { a: undefined, b: 'x' }, shout), '1\n4\n5 six\n')
  })

  test('does not fill what a value brings', () => {
    assert.equal(fill('{{x}}', { x: { source: '{{y}}' } }, shout), '{{y}}')
  })

  test('throws on a name that has no value, rather than show it', () => {
    assert.throws(() => fill('{{missing}}', {}, shout), /no value for \{\{missing\}\}/)
    assert.throws(() => fill('{{#missing}}x{{/missing}}', {}, shout), /no value for/)
    assert.throws(() => fill('{{toString}}', {}, shout), /no value for/)
    assert.throws(() => fill('{{x}}', { x: undefined }, shout), /is empty/)
  })

  test('leaves single braces alone', () => {
    assert.equal(fill('/problems/{code}', {}, shout), '/problems/{code}')
  })
})
