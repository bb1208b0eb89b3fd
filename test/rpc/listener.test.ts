import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import { RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { Health } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { createRpcHandler } from '../../src/rpc/handler.ts'
import { createHealthService } from '../../src/rpc/health.ts'
import { post as postJson } from '../support/http.ts'
import { callHeaders, envelope, frame, http1, http2Preface, http2Start } from '../support/http2-frames.ts'
import { quote } from '../support/submissions.ts'
import { until, within } from '../support/until.ts'
import { held, refusalOf, startRpcServer, submitPath, transports } from './rpc-server.ts'

const body = JSON.stringify({ quoteRequest: quote })
const http1Call = http1(submitPath, 'application/json', Buffer.from(body))
const lead = { case: 'quoteRequest', value: quote } as const
const json = { 'content-type': 'application/json' }

/** A raw connection, and everything received on it until it closed. */
function open(port: number, allowHalfOpen = false): { socket: Socket; closed: Promise<string> } {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  return { socket, closed: once(socket, 'close').then(() => text) }
}

/** The status of one Connect call over HTTP/1.1. */
const post = async ({ url }: { url: string }) => (await postJson(url, body, { path: submitPath })).status

/** The status of one Connect call over HTTP/2. */
async function callHttp2(session: ClientHttp2Session): Promise<number | undefined> {
  const stream = session.on('error', () => {}).request({ ':method': 'POST', ':path': submitPath, ...json })
  const [headers] = await once(stream.end(body).resume(), 'response')
  return headers[':status']
}

suite('a connection', () => {
  test('beyond 32 is closed while all have a call', async () => {
    await using server = await startRpcServer()
    const busy = Array.from({ length: 32 }, () => open(server.port))
    const watch = callHeaders(1, '/grpc.health.v1.Health/Watch', 'application/grpc')
    for (const { socket } of busy) {
      socket.write(Buffer.concat([http2Start, watch, frame(0, 1, 1, envelope(Buffer.alloc(0)))]))
      // Its status: 5 bytes of envelope and 2 of message, after the headers.
      await until('its call is open', () => socket.bytesRead > 80)
    }
    const beyond = open(server.port)
    beyond.socket.write(http1Call)
    assert.equal(await within(10_000, 'it is closed', beyond.closed), '')
    busy[0]?.socket.destroy()
    await until('a place', async () => (await post(server).catch(() => 0)) === 200)
    assert(busy.slice(1).every(({ socket }) => !socket.destroyed))
    for (const { socket } of busy) socket.destroy()
  })

  test('that is idle makes room, so a caller that opens one for each call is always served', async () => {
    await using server = await startRpcServer({ connectionsMax: 4 })
    const sessions = []
    for (let count = 0; count < 12; count++) {
      const session = connectHttp2(server.url)
      sessions.push(session)
      assert.equal(await callHttp2(session), 200, `call ${count + 1}`)
    }
    assert(sessions.filter(({ closed }) => !closed).length <= 4)
    for (const session of sessions) session.destroy()
  })

  test('that made room is closed, even if its caller keeps its own side open', async () => {
    await using server = await startRpcServer({ connectionsMax: 1, helloTimeoutMs: 200 })
    const { socket, closed } = open(server.port, true)
    closed.catch(() => {})
    socket.write(http2Start)
    await once(socket, 'data')
    assert.equal(await post(server), 200)
    await until('what it sends is refused', () => !socket.write(frame(6, 0, 0, Buffer.alloc(8))))
  })

  test('that is silent, or sends something other than HTTP or oversized headers, is closed; others are not affected', async () => {
    await using server = await startRpcServer({ helloTimeoutMs: 200 })
    assert.equal(await open(server.port).closed, '')
    for (const [bytes, answer] of [
      [`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
      ['\x16\x03\x01\x02\x00\x01', /^HTTP\/1\.1 400 /],
      [`${http2Preface}not a frame at all`, /^/],
    ] as const) {
      const { socket, closed } = open(server.port)
      socket.write(bytes)
      assert.match(await closed, answer)
    }
    assert.equal(await post(server), 200)
  })
})

test('a call is served even if its first bytes arrive one by one', async () => {
  await using server = await startRpcServer()
  const http2Call = [http2Start, callHeaders(1, submitPath, 'application/json'), frame(0, 1, 1, Buffer.from(body))]
  for (const call of [http1Call, Buffer.concat(http2Call)]) {
    const ended = server.nextCall()
    const { socket } = open(server.port)
    for (const byte of call.subarray(0, 40)) {
      socket.write(Buffer.of(byte))
      await setImmediate()
    }
    socket.write(call.subarray(40))
    assert.equal((await ended).code, 'ok')
    socket.destroy()
  }
})

test('callers that have no role, or never read their refusal, are limited and do not block others', async () => {
  await using server = await startRpcServer()
  const session = connectHttp2(server.url)
  const stalled = connectHttp2(server.url, { settings: { initialWindowSize: 0 } })
  const [{ maxConcurrentStreams }] = await once(session, 'remoteSettings')
  assert.equal(maxConcurrentStreams, 500)
  const watch = { ':method': 'POST', ':path': '/grpc.health.v1.Health/Watch', 'content-type': 'application/grpc' }
  for (const [caller, fields, status, count] of [
    [session, watch, 503, 80 - 64],
    [stalled, { ...watch, origin: 'x' }, 403, 64],
  ] as const) {
    const statuses = Array.from({ length: 80 }, async () => {
      const stream = caller.request({ ...fields, te: 'trailers' }).on('error', () => {})
      stream.resume().end(envelope(Buffer.alloc(0)))
      const [headers] = await Promise.race([once(stream, 'response'), once(stream, 'close')])
      return headers?.[':status']
    })
    assert.equal((await Promise.all(statuses)).filter((one) => one === status).length, count)
  }
  assert.equal(await post(server), 200)
  for (const caller of [session, stalled]) caller.destroy()
})

test('of many calls that arrive together, 100 begin in each turn of the event loop', async () => {
  let begun = 0
  // Asked for the name of each caller, before the message is read.
  const callers = Object.assign(new Map(), { has: () => begun++ < 0 })
  const signal = new AbortController().signal
  const handle = createRpcHandler({
    ...{ submit: () => assert.fail(), inbox: {}, callers, loopbackOnly: false, baseUrl: '', business: undefined },
    ...{ health: createHealthService(), shutdownSignal: signal, onCall() {}, onError: assert.fail },
  })
  for (let count = 0; count < 270; count++) {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: submitPath, headers: json })
    const response = new ServerResponse(request)
    handle(request, response, ['crm'])
    // The first callers leave before their turn.
    if (count < 20) response.emit('close')
  }
  for (const expected of [100, 200, 250]) {
    await setImmediate()
    assert.equal(begun, expected)
  }
})

suite('a shutdown', () => {
  const stopping = () => new LeadError('inbox_unavailable', { detail: 'The service is stopping. Connect again.' })

  for (const [protocol, createTransport] of Object.entries(transports)) {
    test(`lets a submission and an erasure by ${protocol} finish, and answers them`, async () => {
      for (const call of [
        (transport: Transport) => createClient(LeadIntakeService, transport).submitLead({ lead }),
        (transport: Transport) => createClient(LeadInboxService, transport).eraseLead({ id: 'x' }),
      ]) {
        const { entered, release, handlers } = held()
        await using server = await startRpcServer(handlers)
        const answer = call(createTransport(server.url))
        await entered
        server.shutdown.abort(stopping())
        const closed = server.listener.close(60_000)
        release()
        await answer
        await closed
        assert.equal(server.calls.at(-1)?.code, 'ok')
      }
    })
  }

  test('ends idle streams of health, reflection and the feed, with a problem that says when to reconnect', async () => {
    const server = await startRpcServer({
      inbox: {
        async *watchLeads(_, { signal }) {
          yield { cursor: '1' }
          await once(signal, 'abort')
          throw signal.reason
        },
      },
    })
    const asked = Promise.withResolvers<void>()
    async function* ask() {
      yield { host: '', messageRequest: { case: 'listServices', value: '' } } as const
      await asked.promise
    }
    const [gRPC, http1] = [transports.gRPC(server.url), transports['Connect over HTTP/1.1'](server.url)]
    const feeds = [gRPC, http1].map((transport) => createClient(LeadInboxService, transport).watchLeads({}))
    const others = [
      createClient(Health, gRPC).watch({}),
      createClient(ServerReflection, gRPC).serverReflectionInfo(ask()),
    ]
    const streams = [...feeds, ...others].map((stream: AsyncIterable<object>) => stream[Symbol.asyncIterator]())
    for (const stream of streams) await stream.next()
    server.shutdown.abort(stopping())
    for (const stream of streams) {
      const { error, problem } = await refusalOf(stream.next())
      assert.equal(error.code, Code.Unavailable)
      assert.partialDeepStrictEqual(problem, { code: 'inbox_unavailable', retry: 'after_wait' })
      assert.equal(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds, 2n)
    }
    asked.resolve()
    await server.listener.close(60_000)
  })
})

for (const [transport, header, value] of [
  ['Connect over HTTP/1.1', 'connect-timeout-ms', '2147483648'],
  ['gRPC', 'grpc-timeout', '597H'],
  ['gRPC', 'grpc-timeout', '99999999S'],
] as const)
  test(`a caller whose deadline is beyond Node's longest timer waits without one: ${header} ${value}`, async () => {
    await using server = await startRpcServer({
      inbox: { getLead: (_, { timeoutMs }) => assert.equal(timeoutMs(), undefined) ?? {} },
    })
    const inbox = createClient(LeadInboxService, transports[transport](server.url))
    assert.ok(await inbox.getLead({ id: 'x' }, { headers: { [header]: value } }))
  })

test("a caller's deadline ends the call with a problem that says what to do; a fault is logged anyway", async () => {
  for (const fault of [undefined, new Error('a fault')]) {
    await using server = await startRpcServer({
      inbox: {
        async getLead(_, { signal }) {
          if (!signal.aborted) await once(signal, 'abort')
          throw fault ?? signal.reason
        },
      },
    })
    const inbox = createClient(LeadInboxService, transports['Connect over HTTP/1.1'](server.url))
    const call = inbox.getLead({ id: 'x' }, { headers: { 'connect-timeout-ms': '5' } })
    const { error, problem } = await refusalOf(call)
    if (fault) await until('it is logged', () => server.errors[0]?.error === fault)
    else {
      assert.deepEqual([error.code, problem?.code], [Code.DeadlineExceeded, 'deadline_exceeded'])
      assert.match(`${problem?.hint}`, /again, unchanged/)
      assert.ok(error.findDetails(RetryInfoSchema)[0])
      assert.deepEqual(server.errors, [])
    }
  }
})
