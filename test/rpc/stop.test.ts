// A shutdown ends streams only. Unary calls that have begun are finished and answered.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { ServerReflection } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { capTimeout, timeoutMaxMs } from '../../src/rpc/deadline.ts'
import { quote } from '../support/submissions.ts'
import { rawCalls } from './raw-call.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const transports: Record<string, (baseUrl: string) => Transport> = {
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  'Connect over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
}
const stopping = () => new LeadError('inbox_unavailable', 'The service is stopping. Connect again.')
const lead = { case: 'quoteRequest', value: quote } as const

for (const [protocol, createTransport] of Object.entries(transports)) {
  suite(`a shutdown during a call by ${protocol}`, () => {
    for (const timeoutMs of [undefined, 60_000]) {
      const how = timeoutMs === undefined ? 'without a deadline' : 'with a deadline'

      test(`lets a submission ${how} finish and answers it`, async () => {
        const entered = Promise.withResolvers<void>()
        const held = Promise.withResolvers<void>()
        await using server = await startRpcServer({
          async submit() {
            entered.resolve()
            await held.promise
            return { outcome: 'created', receipt }
          },
        })
        const call = createClient(LeadIntakeService, createTransport(server.url)).submitLead({ lead }, { timeoutMs })
        await entered.promise
        server.shutdown.abort(stopping())
        const closed = server.listener.close(60_000)
        held.resolve()
        assert.equal((await call).id, receipt.id)
        await closed
      })

      test(`lets an erasure ${how} finish and answers it`, async () => {
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
        const call = createClient(LeadInboxService, createTransport(server.url)).eraseLead({ id: 'x' }, { timeoutMs })
        await entered.promise
        server.shutdown.abort(stopping())
        const closed = server.listener.close(60_000)
        held.resolve()
        assert.equal((await call).erasedAt?.seconds, 1n)
        await closed
      })
    }
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
  test('that passes during a submission reports an unknown outcome, and how to resolve it', async () => {
    const held = Promise.withResolvers<void>()
    await using server = await startRpcServer({
      async submit() {
        await held.promise
        return { outcome: 'created', receipt }
      },
    })
    const error = await rawCalls.gRPC?.(server.url, submitPath, Buffer.from([0x0a, 0]), { 'grpc-timeout': '5m' })
    held.resolve()
    assert.equal(error?.code, '4')
    assert.equal(error.problem?.code, 'deadline_exceeded')
    assert.match(error.problem.detail, /may have been completed/)
    assert.match(error.problem.hint, /again, unchanged/)
    assert.ok(error.retryInfo)
  })

  for (const [header, value, protocol] of [
    ['grpc-timeout', '99999999H', 'gRPC'],
    ['grpc-timeout', '999999999999H', 'gRPC'],
    ['connect-timeout-ms', '9999999999', 'Connect, unary'],
  ] as const) {
    test(`of ${header}: ${value} is capped, not refused`, async () => {
      await using server = await startRpcServer({ inbox: { getLead: () => ({}) } })
      const ended = server.nextCall()
      const call = rawCalls[protocol]?.(server.url, '/leadintake.v1.LeadInboxService/GetLead', Buffer.alloc(0), {
        [header]: value,
      })
      await Promise.allSettled([call])
      assert.equal((await ended).code, 'ok')
    })
  }

  test('is passed on unchanged if a timer can hold it, or if it is invalid', () => {
    assert.equal(capTimeout('grpc-timeout', '24H'), '24H')
    assert.equal(capTimeout('grpc-timeout', 'soon'), 'soon')
    assert.equal(capTimeout('grpc-timeout', '597H'), `${Math.floor(timeoutMaxMs / 1000)}S`)
    assert.equal(capTimeout('connect-timeout-ms', '1000'), '1000')
    assert.equal(capTimeout('connect-timeout-ms', '-1'), '-1')
    assert.equal(capTimeout('content-length', '9999999999'), '9999999999')
  })
})

test('a shutdown error carries its problem to Connect clients', async () => {
  await using server = await startRpcServer({
    inbox: {
      async *watchLeads(_, { signal }) {
        yield { cursor: '1' }
        server.shutdown.abort(stopping())
        throw signal.reason
      },
    },
  })
  const watch = async () => {
    const client = createClient(LeadInboxService, createConnectTransport({ baseUrl: server.url, httpVersion: '2' }))
    for await (const _ of client.watchLeads({}));
  }
  await assert.rejects(watch(), (error) => {
    assert.ok(error instanceof ConnectError)
    assert.equal(error.findDetails(ProblemSchema)[0]?.detail, 'The service is stopping. Connect again.')
    return error.code === Code.Unavailable
  })
})
