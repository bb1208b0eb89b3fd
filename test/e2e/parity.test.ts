import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ConnectError } from '@connectrpc/connect'
import { BadRequestSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { assertProblem, freshClient, post, rateOf } from '../support/http.ts'
import { intakeClient, startService } from '../support/service.ts'
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
    // RPC has no rate limit, and no header or document of REST.
    for (const { detail, hint } of [problem, ...problem.errors])
      assert.doesNotMatch(problem.title + detail + hint, /rate limit|Idempotency-Key|header|openapi|\bPOST\b/i)
    const errors = problem.errors.map(({ pointer, code }) => [pointer, code])
    const message = body.formType === 'support' ? 'contact_message' : 'quote_request'
    const fields = errors.map(([pointer = '']) => {
      const name = pointer.slice(2).replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
      return name === 'idempotency_key' ? name : `${message}.${name}`
    })
    const violations = error.findDetails(BadRequestSchema)[0]?.fieldViolations.map(({ field }) => field)
    assert.deepEqual(violations ?? [], fields)
    return { code: problem.code, errors }
  }
}

async function overRest(body: Body, url = service.url, { client = freshClient(), key = '' } = {}): Promise<Verdict> {
  const answer = await post(url, body, { client, headers: key ? { 'Idempotency-Key': key } : {} })
  rateOf(answer)
  if (answer.status === 201) return 'accepted'
  const { code, hint, errors = [] } = answer.json
  assertProblem(answer, answer.status, String(code), url)
  for (const error of errors) assert.notEqual(error.hint, hint)
  return { code: String(code), errors: errors.map((error) => [error.pointer, error.code]) }
}

/** Fields of a lead where leads are real, separated by bars, and what each is refused with. */
const values: [field: string, values: string, code?: string][] = [
  ['email', 'a@example.com|a@mail.EXAMPLE.org|a@b.test|a@b.invalid|a@b.localhost|a@b.example', 'reserved_domain'],
  [
    'email',
    'noemail@noemail.com|no@none.com|NA@na.com|test@test.org|your@email.com|your.name@domain.com',
    'placeholder',
  ],
  ['email', 'a@notexample.com|a@test.org|none@gmail.com|test@email.com|no@brown.com'],
  ['phone', '2025550100|9075550199', 'reserved_phone'],
  ['phone', '1158675309|2955552368|5555552368|4151675309|0158675309|4150675309|9118675309', 'unassignable_phone'],
  ['phone', '4159118675', 'unassignable_phone'],
  [
    'phone',
    '2025550099|2025550200|9898229299|2129872299|5512125309|18004117246|8339118675|1-888-911-2000|4158675309.0',
  ],
  ['name', 'Test|TEST user|test lead|Test  Customer|test test|QA Test', 'placeholder'],
  ['name', 'Jo Test|Test Fox|Test Test Fox|Testa|Jo Customer'],
  ['service', ' KIND OF CLEANING ', 'placeholder'],
  ['service', 'KIND OF CLEANING?'],
]
const testData = values.flatMap(([field, texts, code]) =>
  texts.split('|').map((text) => {
    return [{ [field]: text }, '', code ? `test_lead_rejected #/${field} ${code}` : 'accepted'] as const
  }),
)

test('REST and RPC refuse the same test data and misuse of keys where leads are real', async () => {
  const env = { TEST_LEADS: 'reject', DUPLICATE_WINDOW_HOURS: '0', RATE_LIMIT: '100' }
  await using strict = await startService(env, { now: () => nowMs })
  const strictIntake = intakeClient(strict.internalUrl)
  const real = { ...quote, phone: '4158675309', email: 'pat@brighthome.cleaning' }
  const client = freshClient()
  for (const [change, key, expected] of [
    ...testData,
    [
      { phone: quote.phone, email: 'a@b.test' },
      '',
      'test_lead_rejected #/phone reserved_phone #/email reserved_domain',
    ],
    [{ email: 'a@b.test', bedrooms: 'x' }, '', 'validation_failed #/bedrooms invalid_count'],
    [{}, 'one', 'accepted'],
    [{ notes: 'Another home.' }, 'one', 'idempotency_key_reused'],
    [{ bedrooms: 'x' }, '"two', 'validation_failed #/bedrooms invalid_count'],
    [{}, 'YOUR-KEY', 'idempotency_key_invalid'],
  ] as const) {
    const body = { ...real, ...change }
    const sent = key ? { client, key } : {}
    const verdicts = [await overRest(body, strict.url, sent), await overRpc(body, strictIntake, key)]
    for (const verdict of verdicts) {
      const shown = typeof verdict === 'object' ? [verdict.code, ...verdict.errors.flat()].join(' ') : verdict
      assert.equal(shown, expected, JSON.stringify([change, key]))
    }
    if (expected.startsWith('test_lead_rejected')) assert.equal(await overRest(body), 'accepted')
  }
})

test('REST and RPC accept every good body, and find the same faults in every bad one', async () => {
  type Entry = (typeof goodCases)[number] & Partial<(typeof badCases)[number]>
  const entries: Entry[] = [...goodCases, ...badCases]
  for (const { errors, code = 'validation_failed', onlyJson, ...entry } of entries) {
    const body = bodyOf(entry)
    const verdicts = [overRest(body), ...(onlyJson ? [] : [overRpc(body)])]
    for (const verdict of await Promise.all(verdicts))
      assert.deepEqual(verdict, errors ? { code, errors } : 'accepted', entry.title)
  }
})
