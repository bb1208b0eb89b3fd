import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { type WatchedParser, watchParser } from '../../src/connection/parser.ts'
import { until } from '../support/until.ts'

const quote = JSON.stringify({ notes: 'One' }, undefined, 2).replaceAll('\n', '\r\n\r\n')
const get = 'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'
const post = `POST /api/v1/leads HTTP/1.1\r\nHost: a\r\nContent-Length: ${quote.length}\r\n\r\n${quote}`
const chunked = `POST /api/v1/leads HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\r\n\r\n\r\n1\r\n}\r\n0\r\n\r\n`
const trailers = chunked.replace(/\r\n$/, 'Trailer: a\r\n\r\n')
const long = post.replace('Host', `X-Long: ${'a'.repeat(400)}\r\nHost`)
const head = 'POST /api/leads HTTP/1.1\r\nHost: a\r\nX-A: 1'

suite('the start of an incomplete request', () => {
  const watched = new Map<number | undefined, { socket: Socket; parser: WatchedParser }>()
  const server = createServer((req, res) => void req.resume().on('end', () => res.end()))
  server.on('connection', (socket) => {
    watched.set(socket.remotePort, { socket, parser: watchParser(socket, () => true) })
  })
  // An invalid request, answered elsewhere.
  server.on('clientError', () => {})
  before(async () => void (await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 1_000 }), 'listening')))
  after(() => server.close())

  /** Sends the parts, each after the server has read the one before. Returns what the parser kept. */
  async function startAfter(parts: readonly string[]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      .resume()
      .setNoDelay()
    await once(socket, 'connect')
    await until('the connection', () => watched.has(socket.localPort))
    const { socket: peer, parser } = watched.get(socket.localPort) as { socket: Socket; parser: WatchedParser }
    let sent = 0
    for (const part of parts.filter((text) => text !== '')) {
      socket.write(part)
      sent += part.length
      await until('the part', () => peer.bytesRead === sent, { everyMs: 5 })
    }
    const { start } = parser
    socket.destroy()
    return start
  }

  for (const [name, before] of [
    ['nothing', ''],
    ['empty lines', '\r\n\r\n\r\n'],
    ['a GET', get],
    ['a POST', post],
    ['a POST with a long head', long],
    ['a POST in chunks', chunked],
    ['a POST with trailers', trailers],
    ['a GET and a POST', get + post],
    ['two POSTs', post + post],
    ['a POST and empty lines', `${post}\r\n\r\n`],
  ] as const) {
    test(`behind ${name} is found wherever the bytes are split`, async () => {
      const text = before + head
      const starts = await Promise.all(
        Array.from({ length: text.length }, (_, at) => startAfter([text.slice(0, at), text.slice(at)])),
      )
      assert.deepEqual(starts, Array<string>(text.length).fill(head))
    })
  }

  test('is kept in part when it is long, and is forgotten with its end', async () => {
    const begun = `${head}${'a'.repeat(5_000)}`
    for (const parts of [
      [begun],
      [get + begun],
      [get, head, begun.slice(head.length)],
      [get, head, ...(begun.slice(head.length, 400).match(/.{1,90}/g) ?? [])],
    ]) {
      const start = await startAfter(parts)
      assert(start.startsWith(head) && start.length < 350, start)
    }
    assert.equal(await startAfter([begun, '\r\n\r\n']), '')
    assert.equal(await startAfter([`${begun}\r\n\r\n`]), '')
    assert.equal(await startAfter([post.slice(0, -5), post.slice(-5)]), '')
  })

  test('is kept when it is invalid, with what follows the error', async () => {
    const invalid = 'BREW /api/leads HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const text of [invalid, get + invalid, post + invalid, chunked + invalid]) {
      assert.equal(await startAfter([text]), invalid)
    }
  })
})
