import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { LeadIntakeService, type SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { decodeEvidence } from '../../src/lead/evidence.ts'
import type { NewLead } from '../../src/lead/submission.ts'
import { createSubmit } from '../../src/lead/submit.ts'
import { createRouterOptions, createRpcRoutes } from '../../src/rpc/services.ts'
import { consent } from '../support/evidence.ts'
import { type Body, contact, nowMs, quote } from '../support/submissions.ts'
import { rpcOptions } from './rpc-server.ts'

function client({ acceptTestLeads = true } = {}) {
  const stored: NewLead[] = []
  const store = {
    find: async () => undefined,
    async submit(lead: NewLead) {
      stored.push(lead)
      return { kind: 'created' } as const
    },
  }
  const submit = createSubmit({ store, now: () => nowMs, acceptTestLeads, duplicateWindowHours: 24, consent })
  const { options } = rpcOptions({ submit })
  const transport = createRouterTransport(createRpcRoutes(options), { router: createRouterOptions(options) })
  return { stored, intake: createClient(LeadIntakeService, transport) }
}

/** The message for a REST body, whose members are the fields' JSON names. */
function leadOf(body: Body): MessageInitShape<typeof SubmitLeadRequestSchema>['lead'] {
  const { formType, ...fields } = body
  if (formType === 'support') return { case: 'contactMessage', value: body }
  return { case: 'quoteRequest', value: fields }
}

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('expected a refusal'),
    (reason) => reason,
  )
  assert.ok(error instanceof ConnectError)
  const [problem] = error.findDetails(ProblemSchema)
  assert.ok(problem, `no problem: ${error.message}`)
  return { code: problem.code, errors: problem.errors.map((entry) => [entry.pointer, entry.code]) }
}

suite('SubmitLead, as POST /api/v1/leads', () => {
  for (const body of [quote, contact]) {
    test(`stores a lead of kind ${body.formType ?? 'quote'}`, async () => {
      const { intake, stored } = client()
      const answer = await intake.submitLead({ lead: leadOf(body) })
      assert.equal(answer.id, stored[0]?.id)
      assert.equal(stored[0]?.kind, body.formType === 'support' ? 'support' : 'quote')
      assert.equal(decodeEvidence(String(stored[0]?.evidence)).path, 'rpc')
    })
  }

  test('refuses test data when it is not accepted', async () => {
    for (const body of [quote, contact]) {
      const refusal = await refusalOf(client({ acceptTestLeads: false }).intake.submitLead({ lead: leadOf(body) }))
      assert.equal(refusal.code, 'test_lead_rejected')
    }
  })

  test('accepts the idempotency key quoted and bare, and refuses an invalid one', async () => {
    const { intake, stored } = client()
    await intake.submitLead({ lead: leadOf(quote), idempotencyKey: 'key-1' })
    await intake.submitLead({ lead: leadOf(quote), idempotencyKey: '"key-1"' })
    assert.notEqual(stored[0]?.keyHash, null)
    assert.equal(stored[0]?.keyHash, stored[1]?.keyHash)
    const refusal = await refusalOf(intake.submitLead({ lead: leadOf(quote), idempotencyKey: 'ключ' }))
    assert.equal(refusal.code, 'idempotency_key_invalid')
  })
})
