// Every protocol that clients may use, and what tools find without our proto files: server reflection and health.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { BadRequestSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { root, runProgram } from '../support/service.ts'
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
  assert.match(await bufCurl('/a.b/C', '--data', '{}'), /failed to find service named "a\.b"/)
  // A stream that the service ends is recorded as complete.
  assert(server.calls.some(({ method, code }) => method === 'ServerReflectionInfo' && code === 'ok'))
})

test('the health of an unknown service is not found, and a watch of it says so', async () => {
  const client = createClient(Health, transports.gRPC(server.url))
  const { error, problem } = await refusalOf(client.check({ service: 'nope.v1.Nope' }))
  assert.deepEqual([error.code, problem?.code], [Code.NotFound, 'not_found'])
  const watch = client.watch({ service: 'nope.v1.Nope' })[Symbol.asyncIterator]()
  assert.equal((await watch.next()).value?.status, ServingStatus.SERVICE_UNKNOWN)
})

/** Every protocol and transport that clients may use on the port. */
const protocols: Record<string, (baseUrl: string) => Transport> = {
  'Connect over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'Connect over HTTP/2': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  'Connect in JSON over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect in JSON over HTTP/2': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }),
  'gRPC-Web over HTTP/1.1': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web over HTTP/2': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
  'gRPC over HTTP/2': (baseUrl) => createGrpcTransport({ baseUrl }),
  'gRPC in JSON over HTTP/2': (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false }),
}

for (const [name, createTransport] of Object.entries(protocols)) {
  test(`${name} submits a lead, returns the details of an error, and streams`, async () => {
    const intake = createClient(LeadIntakeService, createTransport(server.url))
    let requestId: string | null = null
    const onHeader = (headers: Headers) => {
      requestId = headers.get('x-request-id')
      assert.equal(headers.get('cache-control'), 'no-store')
    }
    const submitted = server.nextCall()
    const answer = await intake.submitLead({ lead: { case: 'quoteRequest', value: quote } }, { onHeader })
    assert.match(answer.id, /^[0-9a-f-]{36}$/)
    const origin = { requestId, originSent: false }
    assert.partialDeepStrictEqual(server.submitted.at(-1), { kind: 'quote', candidate: quote, origin })
    const service = 'leadintake.v1.LeadIntakeService'
    assert.partialDeepStrictEqual(await submitted, { requestId, service, method: 'SubmitLead', code: 'ok' })

    const refused = server.nextCall()
    const value = { ...quote, phone: '1' }
    const { error, problem } = await refusalOf(intake.submitLead({ lead: { case: 'quoteRequest', value } }))
    assert.deepEqual([error.code, problem?.detail], [Code.InvalidArgument, '1 field needs attention: phone.'])
    // Libraries such as grpc-js show `:` as `%3A`.
    assert.equal(error.rawMessage, '1 field needs attention – phone.')
    assert.equal(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field, 'quote_request.phone')
    const call = await refused
    assert.deepEqual([problem?.code, problem?.instance], ['validation_failed', `urn:uuid:${call.requestId}`])
    assert.equal(problem?.type, 'https://api.example.org/problems/validation_failed')
    assert.deepEqual([error.metadata.get('x-request-id'), call.code], [call.requestId, 'invalid_argument'])

    server.health.setServing(false)
    const seen: ServingStatus[] = []
    const watched = server.nextCall()
    // A stream whose reader only stops reading stays open, or ends later.
    const enough = new AbortController()
    const statuses = createClient(Health, createTransport(server.url)).watch({}, { signal: enough.signal })
    await assert.rejects(async () => {
      for await (const { status } of statuses) {
        seen.push(status)
        if (seen.length === 2) enough.abort()
        server.health.setServing(true)
      }
    })
    assert.equal((await watched).method, 'Watch')
    assert.deepEqual(seen, [ServingStatus.NOT_SERVING, ServingStatus.SERVING])
  })
}
