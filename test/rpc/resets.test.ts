import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { frame, http2Preface, literalField } from '../support/http2-frames.ts'
import { until } from '../support/until.ts'
import { startRpcServer, submitPath } from './rpc-server.ts'

const fields = Buffer.concat([
  literalField(':method', 'POST'),
  literalField(':scheme', 'http'),
  literalField(':path', submitPath),
  literalField(':authority', 'localhost'),
  literalField('content-type', 'application/grpc'),
  literalField('te', 'trailers'),
])
const preface = Buffer.concat([http2Preface, frame(4, 0, 0, Buffer.alloc(0))])
const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])

/** Calls that are canceled in the same packet. */
function canceledCalls(count: number): Buffer {
  const ids = Array.from({ length: count }, (_, index) => 2 * index + 1)
  return Buffer.concat(ids.flatMap((id) => [frame(1, 4, id, fields), frame(3, 0, id, cancel)]))
}

suite('canceled calls (HTTP/2 rapid reset)', () => {
  test('close the connection when there are too many', async () => {
    await using server = await startRpcServer()
    const socket = connect(server.port, '127.0.0.1')
    let answered = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      answered = Buffer.concat([answered, chunk])
    })
    const ping = frame(6, 0, 0, Buffer.from('all read'))
    socket.write(Buffer.concat([preface, canceledCalls(1_000), ping]))
    await until('the server has closed, or has read everything', () => socket.closed || answered.includes('all read'))
    assert.equal(answered.includes('all read'), false)
    assert(server.calls.length < 900, `${server.calls.length} calls were begun`)
    socket.destroy()
  })

  test('are accepted when a caller cancels all its calls at once', async () => {
    await using server = await startRpcServer()
    const session = connectHttp2(server.url)
    await once(session, 'remoteSettings')
    const headers = { ':method': 'POST', ':path': submitPath, 'content-type': 'application/grpc', te: 'trailers' }
    const streams = Array.from({ length: 100 }, () => session.request(headers).on('error', () => {}))
    await until('all have arrived', async () => {
      await new Promise((resolve) => session.ping(resolve))
      return streams.every(({ pending }) => !pending)
    })
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
    await until('all are canceled', () => server.calls.length === 100)
    await new Promise((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve(undefined))))
    assert.equal(session.closed, false)
    session.destroy()
  })
})
