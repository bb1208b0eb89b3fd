import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { BadRequestSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { quote } from '../support/submissions.ts'
import { checkingSubmit, refusalOf, startRpcServer } from './rpc-server.ts'

/** Every protocol and transport that clients may use on the port. */
const transports: Record<string, (baseUrl: string) => Transport> = {
  'Connect over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'Connect over HTTP/2': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  'Connect in JSON over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect in JSON over HTTP/2': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }),
  'gRPC-Web over HTTP/1.1': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web over HTTP/2': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
  'gRPC over HTTP/2': (baseUrl) => createGrpcTransport({ baseUrl }),
  'gRPC in JSON over HTTP/2': (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false }),
}

const server = await startRpcServer({ submit: checkingSubmit() })
after(() => server.listener.close(0))

for (const [name, createTransport] of Object.entries(transports)) {
  test(`${name} submits a lead, returns the details of an error, and streams`, async () => {
    const intake = createClient(LeadIntakeService, createTransport(server.url))
    let requestId: string | null = null
    const onHeader = (headers: Headers) => {
      requestId = headers.get('x-request-id')
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
