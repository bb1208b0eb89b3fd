// What tools find without our proto files: server reflection and health.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, createClient } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection, type ServerReflectionRequestSchema } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { root, runProgram } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { checkingSubmit, refusalOf, startRpcServer, submitPath, transports } from './rpc-server.ts'

const server = await startRpcServer({ submit: checkingSubmit() })
after(() => server.listener.close(0))

/** The output of buf curl, or its error output when it fails. */
async function bufCurl(path: string, ...options: string[]): Promise<string> {
  const args = ['curl', '--http2-prior-knowledge', ...options, server.url + path]
  const { code, stdout, stderr } = await runProgram(join(root, 'node_modules/.bin/buf'), args)
  return code === 0 ? stdout : stderr
}

test('buf curl submits a lead by each version of reflection, shows error details by name, and lists every method', async () => {
  const data = JSON.stringify({ quoteRequest: quote, idempotencyKey: 'key-1' })
  for (const reflection of ['grpc-v1', 'grpc-v1alpha']) {
    const output = await bufCurl(submitPath, '--reflect-protocol', reflection, '--data', data)
    assert.deepEqual(Object.keys(JSON.parse(output)), ['id', 'receivedAt'])
    assert.equal(server.submitted.at(-1)?.idempotencyKey, 'key-1')
  }
  const output = await bufCurl(submitPath, '--data', '{"quoteRequest":{}}')
  for (const expected of ['invalid_argument', 'leadintake.v1.Problem', 'google.rpc.BadRequest', '#/phone'])
    assert.ok(output.includes(expected), output)
  const methods = await bufCurl('', '--list-methods')
  for (const method of ['LeadIntakeService/SubmitLead', 'LeadInboxService/WatchLeads', 'Health/Watch'])
    assert.ok(methods.includes(method), methods)
  // A stream that the service ends is recorded as complete.
  assert(server.calls.some(({ method, code }) => method === 'ServerReflectionInfo' && code === 'ok'))
})

const transport = transports.gRPC(server.url)

test('reflection finds files and symbols, says what it cannot find, and goes on', async () => {
  type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>
  const notFound = { errorCode: Code.NotFound }
  const rows: [question: Question['case'], value: unknown, answer: unknown][] = [
    ['fileByFilename', 'leadintake/v1/inbox.proto', 'leadintake/v1/inbox.proto'],
    ['fileContainingSymbol', 'leadintake.v1.LeadIntakeService.SubmitLead', 'leadintake/v1/intake.proto'],
    ['fileContainingSymbol', 'leadintake.v1.QuoteRequest.page_url', 'leadintake/v1/lead.proto'],
    ['fileContainingSymbol', 'grpc.health.v1.HealthCheckResponse.ServingStatus', 'grpc/health/v1/health.proto'],
    ['fileByFilename', 'a.proto', notFound],
    ['fileContainingSymbol', 'a.b', notFound],
    [undefined, undefined, { errorCode: Code.InvalidArgument }],
    ['allExtensionNumbersOfType', 'google.protobuf.FieldOptions', { errorCode: Code.Unimplemented }],
  ]
  async function* requests() {
    for (const [question, value] of rows) yield { messageRequest: { case: question, value } as Question }
  }
  const answers = createClient(ServerReflection, transport).serverReflectionInfo(requests())
  for (const [index, { messageResponse }] of (await Array.fromAsync(answers)).entries()) {
    const { case: kind, value } = messageResponse
    const [, asked, expected] = rows[index] ?? []
    const file = kind === 'fileDescriptorResponse' && value.fileDescriptorProto[0]
    if (file) assert.equal(fromBinary(FileDescriptorProtoSchema, file).name, expected, `${asked}`)
    else assert.partialDeepStrictEqual(value, expected)
  }
})

test('the health of an unknown service is not found, and a watch of it says so', async () => {
  const client = createClient(Health, transport)
  const { error, problem } = await refusalOf(client.check({ service: 'nope.v1.Nope' }))
  assert.deepEqual([error.code, problem?.code], [Code.NotFound, 'not_found'])
  const watch = client.watch({ service: 'nope.v1.Nope' })[Symbol.asyncIterator]()
  assert.equal((await watch.next()).value?.status, ServingStatus.SERVICE_UNKNOWN)
})
