import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { BadRequestSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { problemTable } from '../../src/problem/table.ts'
import { assertProblem, freshClient, post, rateOf } from '../support/http.ts'
import { intakeClient } from '../support/inbox-client.ts'
import { startService } from '../support/service.ts'
import { type Body, badCases, bodyOf, goodCases, nowMs, quote } from '../support/submissions.ts'

const service = await startService({ DUPLICATE_WINDOW_HOURS: '0' }, { now: () => nowMs })
after(() => service.stop())
const intake = intakeClient(service.internalUrl)

/** The RPC lead whose JSON form is the REST body. */
function leadOf(body: Body) {
  const { formType, ...fields } = body
  return formType === 'support'
    ? { case: 'contactMessage' as const, value: { formType, ...fields } }
    : { case: 'quoteRequest' as const, value: fields }
}

type Verdict = { code: string; errors: string[][] } | 'accepted'

async function overRpc(body: Body, to = intake, idempotencyKey = ''): Promise<Verdict> {
  try {
    await to.submitLead({ lead: leadOf(body), idempotencyKey })
    return 'accepted'
  } catch (error) {
    assert(error instanceof ConnectError)
    const [problem] = error.findDetails(ProblemSchema)
    assert(problem, error.message)
    const { connect, retryable } = problemTable[problem.code as keyof typeof problemTable]
    assert.equal(Code[error.code]?.toLowerCase(), connect?.replace('_', ''))
    assert.equal(problem.retryable, retryable)
    // RPC has no rate limit, and no header or document of REST.
    for (const { detail, hint } of [problem, ...problem.errors])
      assert.doesNotMatch(problem.title + detail + hint, /rate limit|Idempotency-Key|header|openapi|\bPOST\b/i)
    const errors = problem.errors.map(({ pointer, code }) => [pointer, code])
    const message = body.formType === 'support' ? 'contact_message' : 'quote_request'
    const fields = errors.map(([pointer = '', code]) => {
      const name = pointer.slice(2).replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
      return [name === 'idempotency_key' ? name : `${message}.${name}`, code?.toUpperCase()]
    })
    const violations = error.findDetails(BadRequestSchema)[0]?.fieldViolations ?? []
    const told = violations.map(({ field, reason }) => [field, reason])
    assert.deepEqual(told, fields)
    return { code: problem.code, errors }
  }
}

async function overRest(body: Body, url = service.url): Promise<Verdict> {
  const answer = await post(url, body)
  rateOf(answer)
  if (answer.status === 201) return 'accepted'
  assertProblem(answer, 422, String(answer.json.code), url)
  for (const { hint } of answer.json.errors ?? []) assert.notEqual(hint, answer.json.hint)
  const { code, errors = [] } = answer.json
  return { code: String(code), errors: errors.map((error) => [error.pointer, error.code]) }
}

test('REST and RPC accept every good body', async () => {
  for (const entry of goodCases) {
    const body = bodyOf(entry)
    const verdicts = await Promise.all([overRest(body), overRpc(body)])
    assert.deepEqual(verdicts, ['accepted', 'accepted'], entry.title)
  }
})

test('REST and RPC find the same test data and the same misuse of keys', async () => {
  await using strict = await startService({ TEST_LEADS: 'reject', DUPLICATE_WINDOW_HOURS: '0' }, { now: () => nowMs })
  const real = { ...quote, phone: '4158675309', email: 'pat@brighthome.cleaning' }
  const [client, key, other] = [freshClient(), 'one', '"two']
  for (const [body, used, expected] of [
    [quote, '', 'test_lead_rejected'],
    [real, key, 'accepted'],
    [{ ...real, notes: 'Another home.' }, key, 'idempotency_key_reused'],
    [real, other, 'idempotency_key_invalid'],
    [{ ...real, bedrooms: 'x' }, other, 'validation_failed'],
  ] as const) {
    const verdict = await overRpc(body, intakeClient(strict.internalUrl), used)
    assert.equal(typeof verdict === 'object' ? verdict.code : verdict, expected)
    const { json } = await post(strict.url, body, { headers: used ? { 'Idempotency-Key': used } : {}, client })
    assert.equal(json.code ?? 'accepted', expected)
  }
})

test('REST and RPC refuse placeholders, and take toll-free numbers, where leads are real', async () => {
  await using strict = await startService({ TEST_LEADS: 'reject', DUPLICATE_WINDOW_HOURS: '0' }, { now: () => nowMs })
  const real = { ...quote, phone: '4158675309', email: 'pat@brighthome.cleaning' }
  const strictIntake = intakeClient(strict.internalUrl)
  for (const [change, fault] of [
    [{ phone: '1-888-911-2000' }],
    [{ phone: '4158675309.0' }],
    [{ phone: '415867530.0' }, ['#/phone', 'invalid_phone']],
    [{ name: '{{contact.name}}' }, ['#/name', 'placeholder']],
    [{ notes: '[object Object]' }, ['#/notes', 'placeholder']],
  ] as const) {
    const body = { ...real, ...change }
    const expected = fault ? { code: 'validation_failed', errors: [fault] } : 'accepted'
    const verdicts = [await overRest(body, strict.url), await overRpc(body, strictIntake)]
    assert.deepEqual(verdicts, [expected, expected], JSON.stringify(change))
  }
  for (const key of ['{{$guid}}', '"{{uuid}}"', 'null', 'undefined', '\u0024{id}']) {
    const { json } = await post(strict.url, real, { headers: { 'Idempotency-Key': key } })
    const verdict = await overRpc(real, strictIntake, key)
    assert.equal(typeof verdict === 'object' && verdict.code, 'idempotency_key_invalid')
    assert.equal(json.code, 'idempotency_key_invalid')
  }
})

test('REST and RPC find the same faults in every bad body', async () => {
  for (const entry of badCases) {
    const body = bodyOf(entry)
    const expected = { code: entry.code ?? 'validation_failed', errors: entry.errors }
    const verdicts = [overRest(body), ...(entry.onlyJson ? [] : [overRpc(body)])]
    for (const verdict of await Promise.all(verdicts)) assert.deepEqual(verdict, expected, entry.title)
  }
})
