// What tools find without our proto files: server reflection and health.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, createClient, createRouterTransport } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection, type ServerReflectionRequestSchema } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { createRpcRoutes } from '../../src/rpc/services.ts'
import { root } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { receipt, refusalOf, rpcOptions, startRpcServer, submitNamed, submitPath } from './rpc-server.ts'

const server = await startRpcServer({ submit: submitNamed })
after(() => server.listener.close(0))

suite('buf curl', () => {
  /** Its output, or its error output when it fails. */
  function bufCurl(path: string, ...options: string[]): Promise<string> {
    const args = ['curl', '--http2-prior-knowledge', ...options, server.url + path]
    return new Promise((resolve) => {
      execFile(join(root, 'node_modules/.bin/buf'), args, (error, stdout, stderr) => resolve(error ? stderr : stdout))
    })
  }

  test('submits a lead by each protocol and reflection, and shows error details by name', async () => {
    const data = JSON.stringify({ quoteRequest: quote, idempotencyKey: 'key-1' })
    for (const [protocol, reflection] of [
      ['grpc', 'grpc-v1'],
      ['grpcweb', 'grpc-v1alpha'],
      ['connect', 'grpc-v1'],
    ] as const) {
      const output = await bufCurl(submitPath, '--protocol', protocol, '--reflect-protocol', reflection, '--data', data)
      assert.deepEqual(JSON.parse(output), { id: receipt.id, receivedAt: '2026-11-21T09:30:00.250Z' })
      assert.equal(server.submitted.at(-1)?.idempotencyKey, 'key-1')
    }
    const output = await bufCurl(submitPath, '--protocol', 'connect', '--data', '{"quoteRequest":{}}')
    for (const expected of ['invalid_argument', 'leadintake.v1.Problem', 'google.rpc.BadRequest', '#/phone'])
      assert.ok(output.includes(expected), output)
  })

  // test/rpc/protocols.test.ts watches it change, and test/rpc/listener.test.ts proves that a shutdown ends a watch.
  test('checks the health of a service, which is NOT_SERVING before its start, and lists every method', async () => {
    const data = '{"service":"leadintake.v1.LeadInboxService"}'
    for (const status of ['NOT_SERVING', 'SERVING']) {
      const output = await bufCurl('/grpc.health.v1.Health/Check', '--protocol', 'grpc', '--data', data)
      assert.deepEqual(JSON.parse(output), { status })
      server.health.setServing(true)
    }
    const methods = await bufCurl('', '--list-methods')
    for (const method of ['LeadIntakeService/SubmitLead', 'LeadInboxService/WatchLeads', 'Health/Watch'])
      assert.ok(methods.includes(method), methods)
  })
})

const { options } = rpcOptions()
const transport = createRouterTransport(createRpcRoutes(options))

suite('reflection', () => {
  type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>
  const symbol = (value: string): Question => ({ case: 'fileContainingSymbol', value })
  const file = (value: string): Question => ({ case: 'fileByFilename', value })
  const extension = (containingType: string, extensionNumber: number): Question => ({
    case: 'fileContainingExtension',
    value: { containingType, extensionNumber },
  })

  /** Sends questions on one stream. Of each answer, returns its value, or the names of its files. */
  async function ask(...questions: Question[]): Promise<unknown[]> {
    async function* requests() {
      for (const messageRequest of questions) yield { host: 'localhost', messageRequest }
    }
    const answers = createClient(ServerReflection, transport).serverReflectionInfo(requests())
    return (await Array.fromAsync(answers)).map(({ messageResponse: { case: kind, value } }) =>
      kind === 'fileDescriptorResponse'
        ? value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
        : value,
    )
  }

  test('finds symbols and extensions, says what it cannot find, and continues', async () => {
    for (const [question, expected] of [
      [file('leadintake/v1/inbox.proto'), 'leadintake/v1/inbox.proto'],
      [symbol('leadintake.v1.LeadIntakeService.SubmitLead'), 'leadintake/v1/intake.proto'],
      [symbol('leadintake.v1.QuoteRequest.page_url'), 'leadintake/v1/lead.proto'],
      [symbol('grpc.health.v1.HealthCheckResponse.ServingStatus'), 'grpc/health/v1/health.proto'],
      [extension('google.protobuf.FieldOptions', 51001), 'leadintake/v1/fault.proto'],
    ] as const)
      assert.equal(((await ask(question))[0] as string[])[0], expected)
    const numbers = (value: string): Question => ({ case: 'allExtensionNumbersOfType', value })
    const missing = [file('a.proto'), symbol('a.b'), extension('a.b', 1159), numbers('a.b')]
    const answers = await ask(...missing, { case: undefined } as never, numbers('google.protobuf.FieldOptions'))
    const errors = missing.map(() => ({ errorCode: Code.NotFound }))
    const unclear = { errorCode: Code.InvalidArgument }
    assert.partialDeepStrictEqual(answers, [...errors, unclear, { extensionNumber: [1159, 51001] }])
  })
})

test('the health of an unknown service is not found, and a watch of it says so', async () => {
  const client = createClient(Health, transport)
  assert.equal((await refusalOf(client.check({ service: 'nope.v1.Nope' }))).error.code, Code.NotFound)
  const watch = client.watch({ service: 'nope.v1.Nope' })[Symbol.asyncIterator]()
  assert.equal((await watch.next()).value?.status, ServingStatus.SERVICE_UNKNOWN)
})
