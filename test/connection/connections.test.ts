import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex, Writable } from 'node:stream'
import { suite, test } from 'node:test'
import { type ClosedFor, type ConnectionBounds, createConnections } from '../../src/connection/connections.ts'

/** A connection whose peer reads nothing. */
function openStalled(bounds: Partial<ConnectionBounds>) {
  const closed: ClosedFor[] = []
  const connections = createConnections({
    peers: { maxPerClient: 100, trustedProxies: [] },
    bounds,
    onClose: (reason) => closed.push(reason),
  })
  return {
    closed,
    connect() {
      const hooks = {
        onIncoming: () => 0,
        getCurrentBuffer: () => Buffer.alloc(0),
        3() {},
        5() {},
        constructor: { kOnMessageBegin: 0, kOnBody: 3, kOnExecute: 5 },
      }
      const stream = Object.assign(new Duplex({ read() {} }), { parser: hooks })
      const socket = stream as unknown as IncomingMessage['socket']
      connections.open(socket)
      return {
        socket,
        /**
         * Registers a request and an answer of this many bytes. Returns a function that makes the peer read the answer.
         */
        answer(bytes: number): () => void {
          const request = { socket }
          const response = Object.assign(new Writable(), { req: request }) as unknown as ServerResponse
          connections.begin(response)
          connections.hold(response, bytes)
          return () => void response.emit('close')
        },
      }
    },
  }
}

suite('unread answers', () => {
  test('on one connection are limited', () => {
    const { closed, connect } = openStalled({ unreadBytes: 100 })
    const connection = connect()
    const read = connection.answer(60)
    connection.answer(40)
    assert.deepEqual(closed, [])
    read()
    connection.answer(60)
    assert.deepEqual([closed, connection.socket.destroyed], [[], false])
    connection.answer(1)
    assert.deepEqual([closed, connection.socket.destroyed], [['unread'], true])
  })

  test('on all connections together are limited: the connection with the most is closed', () => {
    const { closed, connect } = openStalled({ totalUnreadBytes: 100 })
    const [one, other, third] = [connect(), connect(), connect()]
    one.answer(30)
    other.answer(60)
    third.answer(10)
    assert.deepEqual(closed, [])
    third.answer(1)
    assert.deepEqual(
      [one, other, third].map(({ socket }) => socket.destroyed),
      [false, true, false],
    )
    // The closed connection's bytes no longer count.
    third.answer(59)
    assert.deepEqual(closed, ['unread'])
  })
})

test('a Node without parser hooks is refused, because nothing would be limited', () => {
  const connections = createConnections({ onClose() {} })
  for (const parser of [undefined, { constructor: { kOnExecute: 5 }, onIncoming() {} }]) {
    const socket = Object.assign(new Duplex(), { parser }) as unknown as IncomingMessage['socket']
    assert.throws(() => connections.open(socket), /no HTTP parser that can be bounded/)
  }
})
