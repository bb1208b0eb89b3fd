// A shutdown ends streams only. Unary calls that have begun are finished and answered.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { ServerReflection } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { quote } from '../support/submissions.ts'
import { rawCalls } from './raw-call.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const transports: Record<string, (baseUrl: string) => Transport> = {
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  'Connect over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
}
const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'
const stopping = () => new LeadError('inbox_unavailable', 'The service is stopping. Connect again.')
const lead = { case: 'quoteRequest', value: quote } as const

for (const [protocol, createTransport] of Object.entries(transports)) {
  suite(`a shutdown during a call by ${protocol}`, () => {
    test('lets a submission finish and answers it', async () => {
      const entered = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      await using server = await startRpcServer({
        async submit() {
          entered.resolve()
          await held.promise
          return { outcome: 'created', receipt }
        },
      })
      const call = createClient(LeadIntakeService, createTransport(server.url)).submitLead({ lead })
      await entered.promise
      server.shutdown.abort(stopping())
      const closed = server.listener.close(60_000)
      held.resolve()
      assert.equal((await call).id, receipt.id)
      await closed
    })

    test('lets an erasure finish and answers it', async () => {
      const entered = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      await using server = await startRpcServer({
        inbox: {
          async eraseLead() {
            entered.resolve()
            await held.promise
            return { erasedAt: { seconds: 1n } }
          },
        },
      })
      const call = createClient(LeadInboxService, createTransport(server.url)).eraseLead({ id: 'x' })
      await entered.promise
      server.shutdown.abort(stopping())
      const closed = server.listener.close(60_000)
      held.resolve()
      assert.equal((await call).erasedAt?.seconds, 1n)
      await closed
    })
  })
}

test('shutdown ends an idle reflection stream', async () => {
  await using server = await startRpcServer()
  const held = Promise.withResolvers<void>()
  async function* ask() {
    yield { host: '', messageRequest: { case: 'listServices', value: '' } } as const
    await held.promise
  }
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: server.url }))
  const answers = client.serverReflectionInfo(ask())[Symbol.asyncIterator]()
  await answers.next()
  server.shutdown.abort(stopping())
  await assert.rejects(answers.next(), (error) => error instanceof ConnectError && error.code === Code.Unavailable)
  held.resolve()
  await server.listener.close(60_000)
})

suite('a deadline', () => {
  test('that passes during a stream ends it with a problem that says how to go on', async () => {
    await using server = await startRpcServer({
      inbox: {
        async *watchLeads(_, { signal }) {
          yield { cursor: '1' }
          if (!signal.aborted) await once(signal, 'abort')
          throw signal.reason
        },
      },
    })
    const error = await rawCalls.gRPC?.(server.url, watchPath, Buffer.alloc(0), { 'grpc-timeout': '5m' })
    assert.equal(error?.code, '4')
    assert.equal(error.problem?.code, 'deadline_exceeded')
    assert.match(error.problem.hint, /again, unchanged/)
    assert.ok(error.retryInfo)
  })

  test('that no timer can hold is refused', async () => {
    await using server = await startRpcServer()
    const error = await rawCalls.gRPC?.(server.url, submitPath, Buffer.alloc(0), { 'grpc-timeout': '99999999H' })
    assert.equal(error?.code, '3')
    assert.deepEqual(server.submitted, [])
  })
})

for (const protocol of ['gRPC', 'gRPC-Web', 'Connect, stream']) {
  test(`a shutdown ends a stream by ${protocol} with a problem that says when to reconnect`, async () => {
    await using server = await startRpcServer({
      inbox: {
        async *watchLeads(_, { signal }) {
          yield { cursor: '1' }
          server.shutdown.abort(stopping())
          throw signal.reason
        },
      },
    })
    const error = await rawCalls[protocol]?.(server.url, watchPath, Buffer.alloc(0))
    assert.equal(error?.problem?.code, 'inbox_unavailable')
    assert.equal(error.problem.detail, 'The service is stopping. Connect again.')
    assert.equal(error.problem.retry, 'after_wait')
    assert.equal(error.retryInfo?.retryDelay?.seconds, 1n)
  })
}
