import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import type { SubmitResult } from '../../src/lead/submit.ts'
import { createRpcListener } from '../../src/rpc/listener.ts'
import { quote } from '../support/submissions.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const body = JSON.stringify({ quoteRequest: quote })

/** A raw connection, and everything received on it until it closed. */
function open(port: number): { socket: Socket; closed: Promise<string> } {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  return { socket, closed: once(socket, 'close').then(() => text) }
}

/** One Connect call over HTTP/1.1. */
async function post(port: number, agent?: Agent): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const call = httpRequest({ port, host: '127.0.0.1', path: submitPath, method: 'POST', headers, agent })
  call.end(body)
  const [response] = await once(call, 'response')
  response.resume()
  await once(response, 'end')
  return response
}

/** A `submit` that waits until the test releases it. */
function heldSubmit() {
  const entered = Promise.withResolvers<void>()
  const held = Promise.withResolvers<SubmitResult>()
  return {
    entered: entered.promise,
    release: () => held.resolve({ outcome: 'created', receipt }),
    submit: () => {
      entered.resolve()
      return held.promise
    },
  }
}

suite('a connection', () => {
  test('that stays silent is closed', async () => {
    await using server = await startRpcServer({ helloTimeoutMs: 20 })
    assert.equal(await open(server.port).closed, '')
  })

  test('that sends too many header bytes is answered 431', async () => {
    await using server = await startRpcServer()
    const { socket, closed } = open(server.port)
    socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)
    assert.match(await closed, /^HTTP\/1\.1 431 /)
  })

  test('that is not HTTP is answered 400', async () => {
    await using server = await startRpcServer()
    const { socket, closed } = open(server.port)
    socket.write('\x16\x03\x01\x02\x00\x01')
    assert.match(await closed, /^HTTP\/1\.1 400 /)
  })

  test('that starts as HTTP/2 and violates the protocol is closed, and others are not affected', async () => {
    await using server = await startRpcServer()
    const { socket, closed } = open(server.port)
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnot a frame at all')
    await closed
    assert.equal((await post(server.port)).statusCode, 200)
  })

  test('that is reset does no harm', async () => {
    await using server = await startRpcServer()
    for (const start of ['', 'P', 'POST / HTTP/1.1\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
      const { socket } = open(server.port)
      await once(socket, 'connect')
      await new Promise((sent) => socket.write(start, sent))
      socket.resetAndDestroy()
    }
    assert.equal((await post(server.port)).statusCode, 200)
  })

  test('serves consecutive HTTP/1.1 calls', async () => {
    await using server = await startRpcServer()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let call = 0; call < 3; call++) assert.equal((await post(server.port, agent)).statusCode, 200)
    agent.destroy()
  })

  test('serves pipelined HTTP/1.1 calls however their bytes are split', async () => {
    await using server = await startRpcServer()
    const head = `POST ${submitPath} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
    const one = `${head}content-length: ${body.length}\r\n\r\n${body}`
    const last = `${head}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const { socket, closed } = open(server.port)
    const bytes = Buffer.from(one + last)
    for (let at = 0; at < bytes.length; at += 97) {
      await new Promise((sent) => socket.write(bytes.subarray(at, at + 97), sent))
    }
    assert.equal((await closed).match(/HTTP\/1\.1 200 /g)?.length, 2)
  })
})

suite('a caller that disconnects', () => {
  for (const [name, createTransport] of Object.entries({
    gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
    'Connect over HTTP/1.1': (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  })) {
    test(`ends its ${name} stream, which counts as canceled`, async () => {
      const stopped = Promise.withResolvers<void>()
      await using server = await startRpcServer({
        inbox: {
          async *watchLeads(_, { signal }) {
            const givenUp = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
            yield { cursor: '1' }
            await givenUp.finally(stopped.resolve)
          },
        },
      })
      const ended = server.nextCall()
      const caller = new AbortController()
      const inbox = createClient(LeadInboxService, createTransport(server.url))
      const watch = (async () => {
        for await (const _ of inbox.watchLeads({}, { signal: caller.signal })) caller.abort()
      })()
      await assert.rejects(watch, (error) => error instanceof ConnectError && error.code === Code.Canceled)
      assert.equal((await ended).code, 'canceled')
      await stopped.promise
      assert.deepEqual(server.errors, [])
    })
  }

  const leaving: Record<string, (port: number, entered: Promise<void>) => Promise<void>> = {
    'over HTTP/1.1': async (port, entered) => {
      const { socket } = open(port)
      const head = `POST ${submitPath} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
      await entered
      socket.destroy()
    },
    'over HTTP/2': async (port, entered) => {
      const session = connectHttp2(`http://127.0.0.1:${port}`)
      session.on('error', () => {})
      callHttp2(session).catch(() => {})
      await entered
      session.destroy()
    },
    'by gRPC and takes back the call alone': async (port, entered) => {
      const intake = createClient(LeadIntakeService, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }))
      const caller = new AbortController()
      const call = intake.submitLead({ lead: { case: 'quoteRequest', value: quote } }, { signal: caller.signal })
      call.catch(() => {})
      await entered
      caller.abort()
    },
  }
  for (const [how, leave] of Object.entries(leaving)) {
    test(`does not undo its submission ${how}`, async () => {
      const { entered, release, submit } = heldSubmit()
      await using server = await startRpcServer({ submit })
      const ended = server.nextCall()
      await leave(server.port, entered)
      assert.equal((await ended).code, 'canceled')
      release()
      await new Promise(setImmediate)
      assert.equal((await post(server.port)).statusCode, 200)
      assert.deepEqual(server.errors, [])
    })
  }

  test('buffers no more of a stream than the connection accepts', async () => {
    let sent = 0
    await using server = await startRpcServer({
      inbox: {
        async *watchLeads() {
          for (;;) yield { cursor: `${sent++}`.padEnd(10_000, '.') }
        },
      },
    })
    const session = connectHttp2(server.url)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/leadintake.v1.LeadInboxService/WatchLeads',
      'content-type': 'application/grpc',
    })
    stream.end(Buffer.alloc(5))
    await once(stream, 'response')
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.ok(sent < 100, `${sent} messages of 10 kB for a reader that reads nothing`)
    session.destroy()
  })
})

suite('close', () => {
  test('accepts no more connections, and resolves at once when none is open', async () => {
    const server = await startRpcServer()
    await server.listener.close(60_000)
    const socket = connect({ port: server.port, host: '127.0.0.1' })
    const [error] = await once(socket, 'error')
    assert.equal(error.code, 'ECONNREFUSED')
  })

  test('closes idle and silent connections at once', async () => {
    const server = await startRpcServer()
    const agent = new Agent({ keepAlive: true })
    await post(server.port, agent)
    const session = connectHttp2(server.url)
    await once(session, 'remoteSettings')
    const silent = open(server.port)
    await once(silent.socket, 'connect')
    const goaway = once(session, 'goaway')
    await server.listener.close(60_000)
    await Promise.all([goaway, silent.closed])
    agent.destroy()
  })

  test('lets an HTTP/1.1 call finish, and then ends its connection', async () => {
    const { entered, release, submit } = heldSubmit()
    const server = await startRpcServer({ submit })
    const agent = new Agent({ keepAlive: true })
    const answer = post(server.port, agent)
    await entered
    const closed = server.listener.close(60_000)
    release()
    const response = await answer
    assert.equal(response.statusCode, 200)
    await closed
    agent.destroy()
  })

  test('lets HTTP/2 calls finish, and refuses a call that crosses the GOAWAY so that it can be retried', async () => {
    const { entered, release, submit } = heldSubmit()
    const server = await startRpcServer({ submit })
    const session = connectHttp2(server.url)
    await once(session, 'remoteSettings')
    const first = callHttp2(session)
    await entered
    const goaway = once(session, 'goaway')
    const closed = server.listener.close(60_000)
    const crossing = callHttp2(session)
    await assert.rejects(crossing, { message: /NGHTTP2_REFUSED_STREAM/ })
    assert.equal((await goaway)[1], 1, 'the last stream that was taken')
    release()
    assert.equal(await first, 200)
    assert.equal(server.submitted.length, 1)
    await closed
  })

  test('sends NOT_SERVING to watchers, and ends their streams as unavailable', async () => {
    const server = await startRpcServer()
    server.health.setServing(true)
    const seen: ServingStatus[] = []
    const watch = (async () => {
      for await (const { status } of createClient(Health, createGrpcTransport({ baseUrl: server.url })).watch({})) {
        seen.push(status)
        if (status === ServingStatus.SERVING) server.health.setServing(false)
        else server.shutdown.abort(new ConnectError('The service is stopping; connect again.', Code.Unavailable))
      }
    })()
    await assert.rejects(watch, (error) => error instanceof ConnectError && error.code === Code.Unavailable)
    assert.deepEqual(seen, [ServingStatus.SERVING, ServingStatus.NOT_SERVING])
    await server.listener.close(60_000)
    assert.equal(server.calls.at(-1)?.code, 'unavailable')
  })

  test('destroys calls that do not finish in time', async () => {
    const { entered, submit } = heldSubmit()
    const server = await startRpcServer({ submit })
    const http1 = post(server.port).catch((error) => error.code)
    const http2 = callHttp2(connectHttp2(server.url)).catch((error) => error.code)
    await entered
    await server.listener.close(50)
    assert.equal(await http1, 'ECONNRESET')
    assert.notEqual(await http2, 200)
  })

  test('resolves at once for a listener that never listened', async () => {
    await createRpcListener({ handler: () => {} }).close(60_000)
  })
})

suite('listen', () => {
  test('rejects when the port is taken', async () => {
    await using server = await startRpcServer()
    const second = createRpcListener({ handler: () => {} })
    await assert.rejects(second.listen(server.port, '127.0.0.1'), { code: 'EADDRINUSE' })
  })
})

/** The status of one Connect call over HTTP/2. */
async function callHttp2(session: ClientHttp2Session): Promise<number | undefined> {
  session.on('error', () => {})
  const stream = session.request({ ':method': 'POST', ':path': submitPath, 'content-type': 'application/json' })
  stream.end(body)
  const [headers] = await once(stream, 'response')
  stream.resume()
  await once(stream, 'close')
  return headers[':status']
}
