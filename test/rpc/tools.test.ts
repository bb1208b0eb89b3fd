// What tools find without our proto files: server reflection and health.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection, type ServerReflectionRequestSchema } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { createRpcRoutes } from '../../src/rpc/services.ts'
import { root } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { type RpcServer, receipt, rpcOptions, startRpcServer, submitPath, twoFaults } from './rpc-server.ts'

suite('buf curl', () => {
  let server: RpcServer
  before(async () => {
    server = await startRpcServer({
      async submit({ candidate }) {
        if (candidate.name === undefined) throw twoFaults()
        return { outcome: 'created', receipt }
      },
    })
    server.health.setServing(true)
  })
  after(() => server.listener.close(0))

  /** Its output, or its error output when it fails. */
  function bufCurl(path: string, ...options: string[]): Promise<string> {
    const args = ['curl', '--http2-prior-knowledge', ...options, server.url + path]
    return new Promise((resolve) => {
      execFile(join(root, 'node_modules/.bin/buf'), args, (error, stdout, stderr) => resolve(error ? stderr : stdout))
    })
  }

  for (const [protocol, reflection] of [
    ['grpc', 'grpc-v1'],
    ['grpcweb', 'grpc-v1alpha'],
    ['connect', 'grpc-v1'],
  ] as const) {
    test(`submits a lead by ${protocol} with reflection ${reflection}`, async () => {
      const data = JSON.stringify({ quoteRequest: quote, idempotencyKey: 'key-1' })
      const output = await bufCurl(submitPath, '--protocol', protocol, '--reflect-protocol', reflection, '--data', data)
      assert.deepEqual(JSON.parse(output), { id: receipt.id, receivedAt: '2026-11-21T09:30:00.250Z' })
      assert.equal(server.submitted.at(-1)?.idempotencyKey, 'key-1')
    })
  }

  test('shows the error details by name', async () => {
    const output = await bufCurl(submitPath, '--protocol', 'connect', '--data', '{"quoteRequest":{}}')
    for (const expected of ['invalid_argument', 'leadintake.v1.Problem', 'google.rpc.BadRequest', '#/phone'])
      assert.ok(output.includes(expected), output)
  })

  test('checks the health of a service, and lists every method', async () => {
    const data = '{"service":"leadintake.v1.LeadInboxService"}'
    const output = await bufCurl('/grpc.health.v1.Health/Check', '--protocol', 'grpc', '--data', data)
    assert.deepEqual(JSON.parse(output), { status: 'SERVING' })
    const methods = await bufCurl('', '--list-methods')
    for (const method of ['LeadIntakeService/SubmitLead', 'LeadInboxService/WatchLeads', 'Health/Watch'])
      assert.ok(methods.includes(method), methods)
  })
})

const { options, health, shutdown } = rpcOptions()
const transport = createRouterTransport(createRpcRoutes(options))

suite('reflection', () => {
  type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>
  const client = createClient(ServerReflection, transport)

  /** Sends requests on one stream. */
  async function ask(...questions: Question[]) {
    async function* requests() {
      for (const messageRequest of questions) yield { host: 'localhost', messageRequest }
    }
    const answers = await Array.fromAsync(client.serverReflectionInfo(requests()))
    return answers.map((answer) => answer.messageResponse)
  }

  /** The names of the files in the answer to each request on one stream. */
  async function filesOf(...questions: Question[]): Promise<string[][]> {
    return (await ask(...questions)).map(({ case: kind, value }) => {
      assert.equal(kind, 'fileDescriptorResponse')
      return (value as { fileDescriptorProto: Uint8Array[] }).fileDescriptorProto.map(
        (file) => fromBinary(FileDescriptorProtoSchema, file).name,
      )
    })
  }

  const symbol = (value: string): Question => ({ case: 'fileContainingSymbol', value })
  const file = (value: string): Question => ({ case: 'fileByFilename', value })
  const extension = (containingType: string, extensionNumber: number): Question => ({
    case: 'fileContainingExtension',
    value: { containingType, extensionNumber },
  })

  test('returns a file with all its imports, each import once per stream', async () => {
    const [intake, inbox] = await filesOf(file('leadintake/v1/intake.proto'), file('leadintake/v1/inbox.proto'))
    assert.equal(intake?.[0], 'leadintake/v1/intake.proto')
    for (const name of ['buf/validate/validate.proto', 'google/protobuf/timestamp.proto', 'leadintake/v1/lead.proto'])
      assert.ok(intake.includes(name), name)
    assert.deepEqual(inbox, ['leadintake/v1/inbox.proto'])
  })

  for (const [question, expected] of [
    [symbol('leadintake.v1.LeadIntakeService'), 'leadintake/v1/intake.proto'],
    [symbol('leadintake.v1.LeadIntakeService.SubmitLead'), 'leadintake/v1/intake.proto'],
    [symbol('leadintake.v1.QuoteRequest.page_url'), 'leadintake/v1/lead.proto'],
    [symbol('leadintake.v1.SubmitLeadRequest.lead'), 'leadintake/v1/intake.proto'],
    [symbol('grpc.health.v1.HealthCheckResponse.ServingStatus'), 'grpc/health/v1/health.proto'],
    [symbol('leadintake.v1.fault'), 'leadintake/v1/fault.proto'],
    [symbol('leadintake.v1.Problem'), 'leadintake/v1/problem.proto'],
    [symbol('google.rpc.BadRequest.FieldViolation'), 'google/rpc/error_details.proto'],
    [extension('google.protobuf.FieldOptions', 51001), 'leadintake/v1/fault.proto'],
  ] as const) {
    test(`finds ${JSON.stringify(question.value)} in ${expected}`, async () => {
      assert.equal((await filesOf(question))[0]?.[0], expected)
    })
  }

  test('lists the extension numbers of a message', async () => {
    const [found] = await ask({ case: 'allExtensionNumbersOfType', value: 'google.protobuf.FieldOptions' })
    assert.partialDeepStrictEqual(found?.value, { extensionNumber: [1159, 51001] })
  })

  test('says what it cannot find, and continues', async () => {
    const unknown: [Question, Code][] = [
      [file('leadintake/v1/nope.proto'), Code.NotFound],
      [symbol('leadintake.v1.Nope'), Code.NotFound],
      [extension('leadintake.v1.Nope', 1159), Code.NotFound],
      [{ case: 'allExtensionNumbersOfType', value: 'leadintake.v1.Nope' }, Code.NotFound],
      [{ case: undefined } as unknown as Question, Code.InvalidArgument],
    ]
    const answers = await ask(...unknown.map(([question]) => question), symbol('leadintake.v1.Lead'))
    for (const [index, [, errorCode]] of unknown.entries())
      assert.partialDeepStrictEqual(answers[index], { case: 'errorResponse', value: { errorCode } })
    assert.equal(answers.at(-1)?.case, 'fileDescriptorResponse')
  })
})

suite('health', () => {
  const client = createClient(Health, transport)
  const known = 'leadintake.v1.LeadIntakeService'

  test('is NOT_SERVING before the start, and then follows readiness, for the server and each service', async () => {
    const watched: ServingStatus[] = []
    const watch = (async () => {
      for await (const { status } of client.watch({ service: known })) if (watched.push(status) === 3) break
    })()
    for (const status of [ServingStatus.NOT_SERVING, ServingStatus.SERVING, ServingStatus.NOT_SERVING]) {
      health.setServing(status === ServingStatus.SERVING)
      for (const service of ['', known]) assert.equal((await client.check({ service })).status, status)
    }
    await watch
    assert.deepEqual(watched, [ServingStatus.NOT_SERVING, ServingStatus.SERVING, ServingStatus.NOT_SERVING])
  })

  test('of an unknown service is not found, and a watch of it stays open until the shutdown', async () => {
    await assert.rejects(
      client.check({ service: 'nope.v1.Nope' }),
      (error) => error instanceof ConnectError && error.code === Code.NotFound,
    )
    const watch = async () => {
      for await (const { status } of client.watch({ service: 'nope.v1.Nope' })) {
        assert.equal(status, ServingStatus.SERVICE_UNKNOWN)
        shutdown.abort(new ConnectError('stopping', Code.Unavailable))
      }
    }
    await assert.rejects(watch, (error) => error instanceof ConnectError && error.code === Code.Unavailable)
  })
})
