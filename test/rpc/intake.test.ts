import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createContextValues, createHandlerContext } from '@connectrpc/connect'
import { LeadIntakeService, SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import type { SubmitInput, SubmitResult } from '../../src/lead/submit.ts'
import { callKey } from '../../src/rpc/call.ts'
import { createIntakeService, readLead } from '../../src/rpc/intake.ts'
import { quote } from '../support/submissions.ts'
import { receipt } from './rpc-server.ts'

type RequestInit = Parameters<typeof create<typeof SubmitLeadRequestSchema>>[1]

const request = (init: RequestInit) => create(SubmitLeadRequestSchema, init)
const quoteRequest = request({ lead: { case: 'quoteRequest', value: quote } })

function handlerContext(headers: Record<string, string> = {}) {
  const call = {
    requestId: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11',
    names: undefined,
    caller: 'crm.internal',
    code: undefined,
  }
  return createHandlerContext({
    service: LeadIntakeService,
    method: LeadIntakeService.method.submitLead,
    protocolName: 'connect',
    requestMethod: 'POST',
    url: 'http://localhost/',
    requestHeader: headers,
    contextValues: createContextValues().set(callKey, call),
  })
}

async function submitLead(init: RequestInit, result: Partial<SubmitResult> = {}, context = handlerContext()) {
  const inputs: SubmitInput[] = []
  const service = createIntakeService(async (input) => {
    inputs.push(input)
    return { outcome: 'created', receipt, ...result }
  })
  const answer = await service.submitLead(request(init), context)
  return { answer, input: inputs[0] }
}

suite('the lead in a SubmitLead request', () => {
  test('becomes a candidate with the set fields by REST name', () => {
    assert.deepEqual(readLead(quoteRequest), { kind: 'quote', candidate: quote })
  })

  test('omits unset fields, and keeps fields set to an empty value', () => {
    const lead = { case: 'quoteRequest', value: { name: '', communicationsConsent: false } } as const
    assert.deepEqual(readLead(request({ lead })).candidate, { name: '', communicationsConsent: false })
  })

  test("keeps a contact message's formType", () => {
    const lead = { case: 'contactMessage', value: { formType: 'support', helpWith: 'A visit' } } as const
    assert.deepEqual(readLead(request({ lead })), {
      kind: 'support',
      candidate: { formType: 'support', helpWith: 'A visit' },
    })
  })

  test('has no unknown binary fields', () => {
    const message = request({ lead: { case: 'contactMessage', value: { name: 'Robin Example' } } })
    const value = message.lead.value
    assert.ok(value)
    value.$unknown = [{ no: 900, wireType: 2, data: new Uint8Array([1, 65]) }]
    assert.deepEqual(readLead(message).candidate, { name: 'Robin Example' })
  })

  test('is required', () => {
    assert.throws(
      () => readLead(request({})),
      (error) =>
        error instanceof LeadError &&
        error.code === 'validation_failed' &&
        error.faults.length === 1 &&
        error.faults[0]?.pointer === '#/lead' &&
        error.faults[0].code === 'required',
    )
  })
})

suite('SubmitLead', () => {
  const lead = { case: 'quoteRequest', value: quote } as const

  test('returns the receipt', async () => {
    const { answer } = await submitLead({ lead })
    assert.equal(answer.id, receipt.id)
    assert.equal(answer.replayed, false)
    assert.equal(answer.duplicate, false)
    assert.equal(answer.receivedAt && timestampDate(answer.receivedAt as never).toISOString(), receipt.receivedAt)
  })

  test('says when and why the receipt is an earlier one', async () => {
    const replayed = await submitLead({ lead }, { outcome: 'replayed' })
    assert.deepEqual([replayed.answer.replayed, replayed.answer.duplicate], [true, false])
    const duplicate = await submitLead({ lead }, { outcome: 'duplicate' })
    assert.deepEqual([duplicate.answer.replayed, duplicate.answer.duplicate], [false, true])
  })

  test('passes the key on, and no key for an empty one', async () => {
    assert.equal((await submitLead({ lead, idempotencyKey: 'key-1' })).input?.idempotencyKey, 'key-1')
    assert.equal((await submitLead({ lead, idempotencyKey: '' })).input?.idempotencyKey, undefined)
  })

  test('passes on where the submission came from, as reported by the calling system', async () => {
    const origin = { clientAddress: ' 2001:db8::7 ', userAgent: 'Mozilla/5.0 (Test)' }
    const { input } = await submitLead({ lead, origin }, {}, handlerContext({ 'user-agent': 'crm/1.0' }))
    assert.deepEqual(input?.origin, {
      requestId: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11',
      path: 'rpc',
      keyScope: 'rpc',
      caller: 'crm.internal',
      clientAddress: '2001:db8::7',
      userAgent: 'Mozilla/5.0 (Test)',
      originSent: true,
    })
  })

  test("says when the calling system sent no origin, and does not use that system's own", async () => {
    const { input } = await submitLead({ lead }, {}, handlerContext({ 'user-agent': 'crm/1.0' }))
    assert.partialDeepStrictEqual(input?.origin, { originSent: false, clientAddress: undefined, userAgent: undefined })
  })

  const faulty: [origin: { clientAddress?: string; userAgent?: string }, pointer: string, code: string][] = [
    [{ clientAddress: 'localhost' }, '#/origin/clientAddress', 'invalid_value'],
    [{ clientAddress: '203.0.113.9:443' }, '#/origin/clientAddress', 'invalid_value'],
    [{ clientAddress: '1'.repeat(100_000) }, '#/origin/clientAddress', 'invalid_value'],
    [{ userAgent: '😀'.repeat(513) }, '#/origin/userAgent', 'too_long'],
    [{ userAgent: 'Mozilla\n5.0' }, '#/origin/userAgent', 'invalid_characters'],
    [{ userAgent: 'Mozilla \u202e5.0' }, '#/origin/userAgent', 'invalid_characters'],
  ]
  for (const [origin, pointer, code] of faulty) {
    test(`refuses ${JSON.stringify(origin).slice(0, 50)} as ${code}`, async () => {
      await assert.rejects(submitLead({ lead, origin }), (error) => {
        assert.ok(error instanceof LeadError)
        assert.deepEqual(
          error.faults.map((fault) => [fault.pointer, fault.code]),
          [[pointer, code]],
        )
        return true
      })
    })
  }

  test('accepts 512 characters of any size', async () => {
    const { input } = await submitLead({ lead, origin: { userAgent: '😀'.repeat(512) } })
    assert.equal(input?.origin.userAgent, '😀'.repeat(512))
  })

  test('reports faults of the lead and of the origin together', async () => {
    const value = { ...quote, phone: '555', communicationsConsent: false }
    const origin = { clientAddress: 'nowhere', userAgent: '\u0007' }
    await assert.rejects(submitLead({ lead: { case: 'quoteRequest', value }, origin }), {
      code: 'validation_failed',
      message: '4 fields need attention.',
    })
  })
})
