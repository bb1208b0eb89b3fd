import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { readProtocol } from '../../src/rpc/first-bytes.ts'

type Verdict = { protocol: 'http1' | 'http2' | 'none'; bytes: Buffer }

let report: (verdict: Verdict) => void
let timeoutMs = 60_000
const server = createServer((socket) => {
  socket.on('error', () => {})
  const told = report
  let protocol: Verdict['protocol'] = 'none'
  const bytes: Buffer[] = []
  socket.once('close', () => told({ protocol, bytes: Buffer.concat(bytes) }))
  readProtocol(socket, timeoutMs, (decided) => {
    protocol = decided
    socket.on('data', (chunk: Buffer) => bytes.push(chunk))
  })
})
before(() => once(server.listen(0, '127.0.0.1'), 'listening'))
after(() => server.close())

function open(): Socket {
  const { port } = server.address() as AddressInfo
  return connect({ port, host: '127.0.0.1', noDelay: true })
}

/** Sends the parts one after the other and ends. Resolves with what the server detected and received. */
async function send(parts: Uint8Array[]): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>()
  report = resolve
  const socket = open()
  socket.resume()
  for (const part of parts) {
    await new Promise((sent) => socket.write(part, sent))
    await new Promise(setImmediate)
  }
  socket.end()
  return promise
}

const oneByOne = (text: string) => [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))

suite('the first bytes of a connection', () => {
  const cases: [string, Verdict['protocol']][] = [
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'http2'],
    ['POST /leadintake.v1.LeadIntakeService/SubmitLead HTTP/1.1\r\n\r\n', 'http1'],
    ['PROPFIND / HTTP/1.1\r\n\r\n', 'http1'],
    ['PUT / HTTP/1.1\r\n\r\n', 'http1'],
    ['GET / HTTP/1.1\r\n\r\n', 'http1'],
    ['\x16\x03\x01', 'http1'],
    ['P', 'none'],
    ['PR', 'none'],
  ]
  for (const [text, protocol] of cases) {
    const expected = { protocol, bytes: Buffer.from(protocol === 'none' ? '' : text) }
    test(`${JSON.stringify(text.slice(0, 12))} mean ${protocol}, sent at once or one by one, and are preserved`, async () => {
      assert.deepEqual(await send([Buffer.from(text)]), expected)
      assert.deepEqual(await send(oneByOne(text)), expected)
    })
  }

  test('give the same result and are preserved, however they are split', async () => {
    const start = fc.constantFrom('PRI * HTTP/2.0', 'PR', 'P', 'POST / HTTP/1.1', '')
    const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 8 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(start, parts, fc.integer({ min: 0, max: 14 }), async (text, rest, cut) => {
        const whole = Buffer.concat([Buffer.from(text), ...rest])
        const { protocol, bytes } = await send(
          [whole.subarray(0, cut), whole.subarray(cut)].filter((part) => part.length),
        )
        const undecided = whole.length < 3 && 'PRI'.startsWith(whole.toString('latin1'))
        if (undecided) return assert.equal(protocol, 'none')
        assert.equal(protocol, whole.toString('latin1').startsWith('PRI') ? 'http2' : 'http1')
        assert.deepEqual(bytes, whole)
      }),
      { numRuns: 60 },
    )
  })

  test('that never arrive close the connection', async () => {
    timeoutMs = 20
    const { promise, resolve } = Promise.withResolvers<Verdict>()
    report = resolve
    const closed = once(open().resume(), 'close')
    assert.equal((await promise).protocol, 'none')
    await closed
  })
})
