// What SubmitLead makes of its message. `test/e2e/parity.test.ts` judges the fields beside REST.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient, createRouterTransport } from '@connectrpc/connect'
import { LeadIntakeService, SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { decodeEvidence } from '../../src/lead/evidence.ts'
import type { NewLead } from '../../src/lead/submission.ts'
import { createSubmit, type SubmitResult } from '../../src/lead/submit.ts'
import { createRouterOptions, createRpcRoutes } from '../../src/rpc/services.ts'
import { consent } from '../support/evidence.ts'
import { contact, nowMs, quote } from '../support/submissions.ts'
import { type RpcServerOptions, receipt, refusalOf, rpcOptions } from './rpc-server.ts'

const lead = { case: 'quoteRequest', value: quote } as const

/** An in-memory client, and what `submit` was called with. */
function connect(serverOptions: RpcServerOptions = {}) {
  const { options, submitted } = rpcOptions(serverOptions)
  const transport = createRouterTransport(createRpcRoutes(options), { router: createRouterOptions(options) })
  return { intake: createClient(LeadIntakeService, transport), submitted }
}

/** A client of the domain itself, and what it stored. */
function connectDomain({ acceptTestLeads = true } = {}) {
  const stored: NewLead[] = []
  const store = {
    find: async () => undefined,
    async add(lead: NewLead) {
      stored.push(lead)
      return { kind: 'created' } as const
    },
  }
  const submit = createSubmit({
    store,
    now: () => nowMs,
    acceptTestLeads,
    duplicateWindowHours: 24,
    consent,
  })
  return { stored, intake: connect({ submit }).intake }
}

/** The code of a call's problem, and its faults as pointer and code. */
async function faultsOf(call: Promise<unknown>) {
  const { problem } = await refusalOf(call)
  return { code: problem?.code, errors: problem?.errors.map((entry) => [entry.pointer, entry.code]) }
}

suite('the lead in SubmitLead', () => {
  /** The candidate that the domain gets for a lead. */
  async function candidateOf(sent: NonNullable<MessageInitShape<typeof SubmitLeadRequestSchema>['lead']>) {
    const { intake, submitted } = connect()
    await intake.submitLead({ lead: sent })
    return { kind: submitted[0]?.kind, candidate: submitted[0]?.candidate }
  }

  test('has the set fields by their REST names, and no unknown ones', async () => {
    assert.deepEqual(await candidateOf(lead), { kind: 'quote', candidate: quote })
    const empty = { name: '', communicationsConsent: false }
    assert.deepEqual((await candidateOf({ case: 'quoteRequest', value: empty })).candidate, empty)
    const { lead: message } = create(SubmitLeadRequestSchema, { lead: { case: 'contactMessage', value: contact } })
    assert.ok(message.value)
    message.value.$unknown = [{ no: 900, wireType: 2, data: new Uint8Array([1, 65]) }]
    assert.deepEqual(await candidateOf(message as never), { kind: 'support', candidate: contact })
  })

  test('is required', async () => {
    const refusal = await faultsOf(connect().intake.submitLead({}))
    assert.deepEqual(refusal, { code: 'validation_failed', errors: [['#/lead', 'required']] })
  })

  test('is stored with the path it took, and refused if it is test data that is not accepted', async () => {
    for (const [sent, kind] of [
      [lead, 'quote'],
      [{ case: 'contactMessage', value: contact }, 'support'],
    ] as const) {
      const { intake, stored } = connectDomain()
      assert.equal((await intake.submitLead({ lead: sent })).id, stored[0]?.id)
      assert.deepEqual([stored[0]?.kind, decodeEvidence(String(stored[0]?.evidence)).path], [kind, 'rpc'])
      const strict = connectDomain({ acceptTestLeads: false })
      assert.equal((await faultsOf(strict.intake.submitLead({ lead: sent }))).code, 'test_lead_rejected')
    }
  })
})

test('the receipt says whether it is an earlier one', async () => {
  for (const outcome of ['created', 'replayed', 'duplicate'] as const) {
    const submit = async (): Promise<SubmitResult> => ({ outcome, receipt })
    const answer = await connect({ submit }).intake.submitLead({ lead })
    assert.equal(answer.id, receipt.id)
    assert.deepEqual([answer.replayed, answer.duplicate], [outcome === 'replayed', outcome === 'duplicate'])
    assert.equal(answer.receivedAt && timestampDate(answer.receivedAt).toISOString(), receipt.receivedAt)
  }
})

test('the idempotency key is taken quoted and bare, and none when it is empty', async () => {
  const { intake, stored } = connectDomain()
  for (const idempotencyKey of ['key-1', '"key-1"', '']) await intake.submitLead({ lead, idempotencyKey })
  assert.ok(stored[0]?.keyHash)
  assert.deepEqual([stored[1]?.keyHash, stored[2]?.keyHash], [stored[0].keyHash, null])
  const refusal = await faultsOf(intake.submitLead({ lead, idempotencyKey: 'ключ' }))
  assert.equal(refusal.code, 'idempotency_key_invalid')
})

suite('the origin', () => {
  test('is what the calling system reports of its customer, never its own', async () => {
    const { intake, submitted } = connect()
    const headers = { 'user-agent': 'crm/1.0' }
    const origin = { clientAddress: ' 2001:db8::7 ', userAgent: '😀'.repeat(512) }
    await intake.submitLead({ lead, origin }, { headers })
    await intake.submitLead({ lead }, { headers })
    const own = { path: 'rpc', keyScope: 'rpc', caller: undefined }
    assert.partialDeepStrictEqual(
      submitted.map((input) => input.origin),
      [
        { ...own, clientAddress: '2001:db8::7', userAgent: origin.userAgent, originSent: true },
        { ...own, clientAddress: undefined, userAgent: undefined, originSent: false },
      ],
    )
  })

  test('has its faults in one answer with those of the lead', async () => {
    const value = { ...quote, phone: '555', communicationsConsent: false }
    for (const [origin, pointer, code] of [
      [{ clientAddress: 'localhost' }, '#/origin/clientAddress', 'invalid_value'],
      [{ clientAddress: '203.0.113.9:443' }, '#/origin/clientAddress', 'invalid_value'],
      [{ clientAddress: '1'.repeat(100_000) }, '#/origin/clientAddress', 'invalid_value'],
      [{ userAgent: '😀'.repeat(513) }, '#/origin/userAgent', 'too_long'],
      [{ userAgent: 'Mozilla\n5.0' }, '#/origin/userAgent', 'invalid_characters'],
      [{ userAgent: 'Mozilla \u202e5.0' }, '#/origin/userAgent', 'invalid_characters'],
    ] as const) {
      const { intake } = connect()
      assert.deepEqual((await faultsOf(intake.submitLead({ lead, origin }))).errors, [[pointer, code]])
      const both = await faultsOf(intake.submitLead({ lead: { case: 'quoteRequest', value }, origin }))
      assert.equal(both.errors?.length, 3)
    }
  })
})
