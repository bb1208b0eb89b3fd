import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseCursor, parsePageToken, renderCursor, renderPageToken } from '../../src/lead/cursor.ts'

const places = fc.record(
  { position: fc.nat({ max: Number.MAX_SAFE_INTEGER }), id: fc.uuid({ version: 7 }) },
  { noNullPrototype: true },
)

suite('cursors and page tokens', () => {
  test('are read back as they were written', () => {
    fc.assert(
      fc.property(places, fc.string(), (place, filters) => {
        assert.deepEqual(parseCursor(renderCursor(place)), place)
        assert.deepEqual(parsePageToken(renderPageToken(place, filters), filters), place)
      }),
    )
  })

  test('fit into a URL as they are', () => {
    const place = { position: 100_000, id: randomUUIDv7() }
    assert.match(renderCursor(place), /^[\w-]{34}$/)
    assert.match(renderPageToken(place, ''), /^[\w-]{44}$/)
  })

  test('are not taken for each other', () => {
    const place = { position: 7, id: randomUUIDv7() }
    assert.equal(parseCursor(renderPageToken(place, '')), undefined)
    assert.equal(parsePageToken(renderCursor(place), ''), undefined)
  })

  test('a page token is good for its filters only', () => {
    const token = renderPageToken({ position: 7, id: randomUUIDv7() }, '{"kind":"quote"}')
    assert.equal(parsePageToken(token, '{"kind":"support"}'), undefined)
    assert.equal(parsePageToken(token, '{}'), undefined)
  })

  test('an altered one is none, or names another place', () => {
    fc.assert(
      fc.property(places, fc.nat(), fc.constantFrom(...'AQgw_-09z=+/ '), (place, at, character) => {
        for (const [token, parse] of [
          [renderCursor(place), parseCursor],
          [renderPageToken(place, 'f'), (text: string) => parsePageToken(text, 'f')],
        ] as const) {
          const index = at % token.length
          const altered = token.slice(0, index) + character + token.slice(index + 1)
          if (altered !== token) assert.notDeepEqual(parse(altered), place)
        }
      }),
    )
  })

  test('any other text is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        assert.equal(parseCursor(text), undefined)
        assert.equal(parsePageToken(text, ''), undefined)
      }),
    )
  })
})
