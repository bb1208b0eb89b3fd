import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, createClient, createRouterTransport } from '@connectrpc/connect'
import { ServerReflection, type ServerReflectionRequestSchema } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { ServerReflection as ServerReflectionAlpha } from '../../src/gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { createRpcRoutes } from '../../src/rpc/services.ts'
import { rpcOptions } from './rpc-server.ts'

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>

const transport = createRouterTransport(createRpcRoutes(rpcOptions().options))
const client = createClient(ServerReflection, transport)

async function* requests(questions: Question[]) {
  for (const messageRequest of questions) yield { host: 'localhost', messageRequest }
}

/** Sends requests on one stream. */
async function ask(...questions: Question[]) {
  const answers = await Array.fromAsync(client.serverReflectionInfo(requests(questions)))
  return answers.map((answer) => answer.messageResponse)
}

/** The names of the files in the answer to each request on one stream. */
async function filesOf(...questions: Question[]): Promise<string[][]> {
  return (await ask(...questions)).map((answer) => {
    assert.equal(answer.case, 'fileDescriptorResponse')
    const files = (answer.value as { fileDescriptorProto: Uint8Array[] }).fileDescriptorProto
    return files.map((file) => fromBinary(FileDescriptorProtoSchema, file).name)
  })
}

const symbol = (value: string): Question => ({ case: 'fileContainingSymbol', value })
const file = (value: string): Question => ({ case: 'fileByFilename', value })
const extension = (containingType: string, extensionNumber: number): Question => ({
  case: 'fileContainingExtension',
  value: { containingType, extensionNumber },
})

suite('reflection', () => {
  test('lists every service of the listener', async () => {
    const [answer] = await ask({ case: 'listServices', value: '*' })
    assert.equal(answer?.case, 'listServicesResponse')
    assert.deepEqual(
      (answer.value as { service: { name: string }[] }).service.map((service) => service.name),
      [
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
        'leadintake.v1.LeadInboxService',
        'leadintake.v1.LeadIntakeService',
      ],
    )
  })

  test('returns a file with all its imports, the file first', async () => {
    const [files] = await filesOf(file('leadintake/v1/intake.proto'))
    assert.equal(files?.[0], 'leadintake/v1/intake.proto')
    assert.deepEqual([...files].sort(), [
      'buf/validate/validate.proto',
      'google/protobuf/descriptor.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/field_mask.proto',
      'google/protobuf/timestamp.proto',
      'leadintake/v1/fault.proto',
      'leadintake/v1/intake.proto',
      'leadintake/v1/lead.proto',
    ])
  })

  test('sends an import once per stream, and requested files always', async () => {
    const [, inbox, again] = await filesOf(
      file('leadintake/v1/intake.proto'),
      file('leadintake/v1/inbox.proto'),
      file('leadintake/v1/inbox.proto'),
    )
    assert.deepEqual(inbox, ['leadintake/v1/inbox.proto'])
    assert.deepEqual(again, ['leadintake/v1/inbox.proto'])
  })

  const symbols = {
    'a service': ['leadintake.v1.LeadIntakeService', 'leadintake/v1/intake.proto'],
    'a method': ['leadintake.v1.LeadIntakeService.SubmitLead', 'leadintake/v1/intake.proto'],
    'a message': ['leadintake.v1.QuoteRequest', 'leadintake/v1/lead.proto'],
    'a field': ['leadintake.v1.QuoteRequest.page_url', 'leadintake/v1/lead.proto'],
    'a oneof': ['leadintake.v1.SubmitLeadRequest.lead', 'leadintake/v1/intake.proto'],
    'an enum': ['leadintake.v1.LeadKind', 'leadintake/v1/lead.proto'],
    'a nested enum': ['grpc.health.v1.HealthCheckResponse.ServingStatus', 'grpc/health/v1/health.proto'],
    'an extension': ['leadintake.v1.fault', 'leadintake/v1/fault.proto'],
    'a detail of our errors': ['leadintake.v1.Problem', 'leadintake/v1/problem.proto'],
    'a nested message of a standard detail': ['google.rpc.BadRequest.FieldViolation', 'google/rpc/error_details.proto'],
  }
  for (const [what, [name, expected]] of Object.entries(symbols)) {
    test(`finds the file that defines ${what}`, async () => {
      const [files] = await filesOf(symbol(name as string))
      assert.equal(files?.[0], expected)
    })
  }

  test('finds the file that defines an extension by its number', async () => {
    const [files] = await filesOf(extension('google.protobuf.FieldOptions', 51001))
    assert.equal(files?.[0], 'leadintake/v1/fault.proto')
  })

  test('lists the extension numbers of a message', async () => {
    const [options, none] = await ask(
      { case: 'allExtensionNumbersOfType', value: 'google.protobuf.FieldOptions' },
      { case: 'allExtensionNumbersOfType', value: 'leadintake.v1.Lead' },
    )
    assert.partialDeepStrictEqual(options, {
      case: 'allExtensionNumbersResponse',
      value: { baseTypeName: 'google.protobuf.FieldOptions', extensionNumber: [1159, 51001] },
    })
    assert.partialDeepStrictEqual(none, { value: { baseTypeName: 'leadintake.v1.Lead', extensionNumber: [] } })
  })

  const unknown: Record<string, Question> = {
    'an unknown file': file('leadintake/v1/nope.proto'),
    'an unknown symbol': symbol('leadintake.v1.Nope'),
    'a symbol with a leading dot': symbol('.leadintake.v1.Lead'),
    'a package': symbol('leadintake.v1'),
    'an unknown extension': extension('google.protobuf.FieldOptions', 4),
    'an extension of an unknown message': extension('leadintake.v1.Nope', 1159),
    'the extensions of an unknown message': { case: 'allExtensionNumbersOfType', value: 'leadintake.v1.Nope' },
  }
  for (const [what, question] of Object.entries(unknown)) {
    test(`reports that it cannot find ${what}, and continues`, async () => {
      const [refusal, next] = await ask(question, symbol('leadintake.v1.Lead'))
      assert.equal(refusal?.case, 'errorResponse')
      assert.equal((refusal.value as { errorCode: number }).errorCode, Code.NotFound)
      assert.equal(next?.case, 'fileDescriptorResponse')
    })
  }

  test('refuses an empty request', async () => {
    const [refusal] = await ask({ case: undefined })
    assert.equal(refusal?.case, 'errorResponse')
    assert.equal((refusal.value as { errorCode: number }).errorCode, Code.InvalidArgument)
  })

  test('echoes host and request in the answer, in both versions', async () => {
    for (const service of [ServerReflection, ServerReflectionAlpha]) {
      const answers = createClient(service, transport).serverReflectionInfo(requests([symbol('leadintake.v1.Lead')]))
      const [answer] = await Array.fromAsync(answers)
      assert.equal(answer?.validHost, 'localhost')
      assert.equal(answer.originalRequest?.messageRequest.value, 'leadintake.v1.Lead')
      assert.equal(answer.messageResponse.case, 'fileDescriptorResponse')
    }
  })
})
