// What SubmitLead makes of its message. `test/e2e/parity.test.ts` compares the fields with REST.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Code, createClient } from '@connectrpc/connect'
import { errorToJson } from '@connectrpc/connect/protocol-connect'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { problemTable } from '../../src/problem/table.ts'
import { quote } from '../support/submissions.ts'
import { checkingSubmit, type RpcServerOptions, receipt, refusalOf, startRpcServer, transports } from './rpc-server.ts'

const lead = { case: 'quoteRequest', value: quote } as const

/** A server with a client of it. */
async function connect(options: RpcServerOptions = {}) {
  const server = await startRpcServer(options)
  return { ...server, intake: createClient(LeadIntakeService, transports.gRPC(server.url)) }
}

test('an empty key counts as none, and the receipt says whether the lead was stored before', async () => {
  for (const outcome of ['created', 'replayed', 'duplicate'] as const) {
    await using server = await connect({ submit: async () => ({ outcome, receipt }) })
    const { intake, submitted } = server
    const answer = await intake.submitLead({ lead, idempotencyKey: outcome === 'created' ? '' : 'key-1' })
    assert.equal(submitted[0]?.idempotencyKey, outcome === 'created' ? undefined : 'key-1')
    assert.equal(answer.id, receipt.id)
    assert.deepEqual([answer.replayed, answer.duplicate], [outcome === 'replayed', outcome === 'duplicate'])
    assert.equal(answer.receivedAt && timestampDate(answer.receivedAt).toISOString(), receipt.receivedAt)
  }
})

suite('the origin', () => {
  test('is what the calling system reports of its customer, never its own', async () => {
    await using server = await connect()
    const { intake, submitted } = server
    const headers = { 'user-agent': 'crm/1.0' }
    const origin = { clientAddress: ' 2001:db8::7 ', userAgent: 'Mozilla/5.0 😀' }
    await intake.submitLead({ lead, origin }, { headers })
    await intake.submitLead({ lead }, { headers })
    const own = { submissionPath: 'rpc', keyScope: 'rpc', caller: undefined }
    const sent = { ...own, clientAddress: '2001:db8::7', userAgent: 'Mozilla/5.0 😀', originSent: true }
    const none = { ...own, clientAddress: undefined, userAgent: undefined, originSent: false }
    assert.partialDeepStrictEqual(submitted, [{ origin: sent }, { origin: none }])
  })

  test('has its faults in the same answer as those of the lead', async () => {
    await using server = await connect({ submit: checkingSubmit() })
    const value = { ...quote, phone: '555' }
    for (const clientAddress of ['localhost', '203.0.113.9:443', '1'.repeat(100_000)]) {
      const call = server.intake.submitLead({ lead: { case: 'quoteRequest', value }, origin: { clientAddress } })
      const faults = (await refusalOf(call)).problem?.errors.map((fault) => `${fault.pointer} ${fault.code}`)
      assert.deepEqual(new Set(faults), new Set(['#/phone invalid_phone', '#/origin/clientAddress invalid_value']))
    }
    const { problem } = await refusalOf(server.intake.submitLead({}))
    assert.equal(problem?.errors.map(({ pointer, code }) => `${pointer} ${code}`).join(), '#/lead required')
  })
})

test('an unexpected error is logged, and reveals nothing to the caller', async () => {
  const secret = 'customer@example.com'
  for (const reason of [new Error(secret), secret, undefined]) {
    const fail = () => Promise.reject(reason)
    await using server = await startRpcServer({
      submit: fail,
      inbox: { watchLeads: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }) },
    })
    const transport = transports.gRPC(server.url)
    for (const call of [
      createClient(LeadIntakeService, transport).submitLead({ lead: { case: 'quoteRequest', value: quote } }),
      createClient(LeadInboxService, transport).watchLeads({}),
    ]) {
      const { error, problem } = await refusalOf(call)
      assert.deepEqual([error.code, error.rawMessage], [Code.Internal, problemTable.internal_error.detail])
      assert.equal(problem?.code, 'internal_error')
      assert.ok(!JSON.stringify(errorToJson(error, {})).includes(secret))
      const logged = server.errors.pop()
      assert.equal(logged?.error, reason)
      assert.match(`${logged?.requestId}`, /^[0-9a-f-]{36}$/)
    }
  }
})
