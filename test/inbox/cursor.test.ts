import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { beginning, parseCursor, parsePageToken, renderCursor, renderPageToken } from '../../src/inbox/cursor.ts'

const cursors = fc.record(
  { position: fc.nat({ max: Number.MAX_SAFE_INTEGER }), id: fc.uuid({ version: 7 }) },
  { noNullPrototype: true },
)

const tokens = fc.record({ after: cursors, head: cursors }, { noNullPrototype: true })

suite('cursors and page tokens', () => {
  test('can be parsed again', () => {
    fc.assert(
      fc.property(tokens, fc.string(), (token, filters) => {
        assert.deepEqual(parseCursor(renderCursor(token.after)), token.after)
        assert.deepEqual(parsePageToken(renderPageToken(token, filters), filters), token)
      }),
    )
    assert.deepEqual(parseCursor(renderCursor(beginning)), beginning)
  })

  test('are safe in a URL', () => {
    const cursor = { position: 100_000, id: randomUUIDv7() }
    assert.match(renderCursor(cursor), /^[\w-]{40}$/)
    assert.match(renderPageToken({ after: cursor, head: cursor }, ''), /^[\w-]{83}$/)
  })

  test('are not interchangeable', () => {
    const cursor = { position: 7, id: randomUUIDv7() }
    assert.equal(parseCursor(renderPageToken({ after: cursor, head: cursor }, '')), undefined)
    assert.equal(parsePageToken(renderCursor(cursor), ''), undefined)
  })

  test('a page token is valid only with its filters', () => {
    const cursor = { position: 7, id: randomUUIDv7() }
    const token = renderPageToken({ after: cursor, head: cursor }, '{"kind":"quote"}')
    assert.equal(parsePageToken(token, '{"kind":"support"}'), undefined)
    assert.equal(parsePageToken(token, '{}'), undefined)
  })

  test('an altered token is invalid', () => {
    fc.assert(
      fc.property(tokens, fc.nat(), fc.constantFrom(...'AQgw_-09z=+/ '), (token, at, character) => {
        for (const [text, parse] of [
          [renderCursor(token.after), parseCursor],
          [renderPageToken(token, 'f'), (altered: string) => parsePageToken(altered, 'f')],
        ] as const) {
          const index = at % text.length
          const altered = text.slice(0, index) + character + text.slice(index + 1)
          if (altered !== text) assert.equal(parse(altered), undefined)
        }
      }),
    )
  })

  // PostgreSQL rejects positions of 2^63 or more. That used to cause a 500.
  for (const position of [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
    test(`a token with the position ${position} is invalid, even if everything else is correct`, () => {
      const cursor = { position: position as unknown as number, id: randomUUIDv7() }
      assert.equal(parseCursor(renderCursor(cursor)), undefined)
      assert.equal(parsePageToken(renderPageToken({ after: cursor, head: beginning }, ''), ''), undefined)
      assert.equal(parsePageToken(renderPageToken({ after: beginning, head: cursor }, ''), ''), undefined)
    })
  }

  test('any other text is invalid', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        assert.equal(parseCursor(text), undefined)
        assert.equal(parsePageToken(text, ''), undefined)
      }),
    )
  })
})
