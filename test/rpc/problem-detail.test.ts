import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { create, type Message, type MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToString, errorToJson } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { ListLeadsRequestSchema } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { LeadError, type LeadErrorCode } from '../../src/lead/error.ts'
import { faultOf } from '../../src/lead/rules.ts'
import { type InternalCode, problemTable } from '../../src/problem/table.ts'
import { renderError } from '../../src/rpc/problem-detail.ts'
import { twoFaults } from './rpc-server.ts'

const requestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'
const empty = create(SubmitLeadRequestSchema)
const notice = { version: '1', wording: 'Call me.', url: 'https://api.example.org/terms#consent' }

function render(reason: unknown, message: Message | undefined = empty) {
  const error = renderError(reason, {
    baseUrl: 'https://api.example.org',
    consent: notice,
    requestId,
    input: SubmitLeadRequestSchema,
    message,
  })
  const [problem] = error.findDetails(ProblemSchema)
  assert.ok(problem)
  return {
    error,
    problem,
    badRequest: error.findDetails(BadRequestSchema)[0],
    retryInfo: error.findDetails(RetryInfoSchema)[0],
  }
}

const request = (lead: MessageInitShape<typeof SubmitLeadRequestSchema>['lead']) =>
  create(SubmitLeadRequestSchema, { lead: lead ?? { case: undefined } })
const paths = (rendered: ReturnType<typeof render>) =>
  rendered.badRequest?.fieldViolations.map((violation) => violation.field)

suite('an error of the domain', () => {
  test('about consent has the wording, as in REST', () => {
    const faults = [faultOf('communicationsConsent', 'consent_required')]
    const { problem } = render(new LeadError('consent_required', 'no', { faults }))
    assert.deepEqual({ ...problem.consent, $typeName: undefined }, { ...notice, $typeName: undefined })
    assert.equal(render(new LeadError('validation_failed', 'no', { faults: [] })).problem.consent, undefined)
  })

  const codes: Exclude<LeadErrorCode, InternalCode>[] = [
    'consent_required',
    'validation_failed',
    'test_lead_rejected',
    'idempotency_key_invalid',
    'idempotency_key_reused',
    'service_unavailable',
    'overloaded',
  ]
  for (const code of codes) {
    test(`${code} has the Connect code and the texts of its row in the problem table`, () => {
      const row = problemTable[code]
      const { error, problem, retryInfo } = render(new LeadError(code, 'What went wrong this time.'))
      assert.equal(codeToString(error.code), row.connect)
      assert.equal(error.rawMessage, 'What went wrong this time.')
      assert.equal(problem.code, code)
      assert.equal(problem.title, row.title)
      assert.equal(problem.hint, row.hint)
      assert.equal(problem.retryable, row.retryable)
      assert.equal(problem.retry, row.retry)
      assert.equal(problem.retryAfterSeconds > 0, row.retryable)
      assert.equal(problem.detail, 'What went wrong this time.')
      assert.equal(problem.type, `https://api.example.org/problems/${code}`)
      assert.equal(problem.instance, `urn:uuid:${requestId}`)
      assert.equal(retryInfo !== undefined, row.retryable)
    })
  }

  for (const [code, connect, retryable] of [
    ['lead_not_found', Code.NotFound, false],
    ['invalid_argument', Code.InvalidArgument, false],
    ['inbox_unavailable', Code.Unavailable, true],
  ] as const) {
    test(`${code}, which only the inbox throws, is ${Code[connect]}`, () => {
      const { error, problem, retryInfo } = render(new LeadError(code, 'No lead has this id.'))
      assert.equal(error.code, connect)
      assert.equal(problem.code, code)
      assert.equal(problem.retryable, retryable)
      assert.equal(retryInfo !== undefined, retryable)
      assert.notEqual(problem.title, '')
      assert.notEqual(problem.hint, '')
    })
  }

  test('says after how many seconds to retry', () => {
    const { problem, retryInfo } = render(new LeadError('overloaded', 'Later.', { retryAfterSeconds: 7 }))
    assert.equal(retryInfo?.retryDelay?.seconds, 7n)
    assert.equal(problem.retryAfterSeconds, 7)
  })

  test('suggests one second by default', () => {
    assert.equal(render(new LeadError('service_unavailable', 'Later.')).retryInfo?.retryDelay?.seconds, 1n)
  })

  test('lists every invalid field, for our clients and for generic ones', () => {
    const { problem, badRequest } = render(twoFaults(), request({ case: 'quoteRequest', value: {} }))
    assert.deepEqual(
      problem.errors.map(({ pointer, code, detail, hint }) => ({ pointer, code, detail, hint })),
      twoFaults().faults,
    )
    assert.deepEqual(
      badRequest?.fieldViolations.map(({ field, description, reason }) => ({ field, description, reason })),
      [
        {
          field: 'quote_request.phone',
          description: 'must be a 10-digit U.S. number (+1)',
          reason: 'INVALID_PHONE',
        },
        { field: 'quote_request.bedrooms', description: 'is required', reason: 'REQUIRED' },
      ],
    )
  })

  test('lists 50 faults, counts the others, and includes suggestions', () => {
    const faults = Array.from({ length: 60 }, (_, index) => ({
      ...faultOf(`m${index}`, 'unknown_field'),
      ...(index === 0 && { suggestion: 'name' }),
    }))
    const { problem, badRequest } = render(new LeadError('validation_failed', '60 fields need attention.', { faults }))
    assert.deepEqual([problem.errors.length, problem.errorsOmitted], [50, 10])
    assert.equal(badRequest?.fieldViolations.length, 50)
    assert.deepEqual([problem.errors[0]?.suggestion, problem.errors[1]?.suggestion], ['name', ''])
  })

  test('names fields of the message that was sent', () => {
    const faults = [faultOf('helpWith', 'required')]
    const error = new LeadError('validation_failed', '1 field needs attention.', { faults })
    assert.deepEqual(paths(render(error, request({ case: 'contactMessage', value: {} }))), [
      'contact_message.help_with',
    ])
  })

  test('names the oneof and top-level fields without a prefix', () => {
    const faults = [faultOf('lead', 'required'), faultOf('idempotencyKey', 'invalid_value')]
    const error = new LeadError('validation_failed', '2 fields need attention.', { faults })
    assert.deepEqual(paths(render(error)), ['lead', 'idempotency_key'])
  })

  test('names fields of a request whose message is not available', () => {
    const faults = [faultOf('pageSize', 'invalid_value')]
    const reason = new LeadError('invalid_argument', '1 field needs attention.', { faults })
    const site = { baseUrl: '', consent: undefined, requestId, input: ListLeadsRequestSchema, message: undefined }
    const [badRequest] = renderError(reason, site).findDetails(BadRequestSchema)
    assert.equal(badRequest?.fieldViolations[0]?.field, 'page_size')
  })
})

suite('any other error', () => {
  const secret = 'customer@example.com'
  const reasons = { 'an Error': new Error(secret), 'a thrown text': secret, nothing: undefined }
  for (const [name, reason] of Object.entries(reasons)) {
    test(`${name} becomes an internal error that reveals nothing`, () => {
      const { error, problem, retryInfo } = render(reason)
      assert.ok(error instanceof ConnectError)
      assert.equal(error.code, Code.Internal)
      assert.equal(error.rawMessage, problemTable.internal_error.detail)
      assert.equal(problem.code, 'internal_error')
      assert.equal(problem.retryable, true)
      assert.ok(retryInfo)
      assert.ok(!JSON.stringify(errorToJson(error, {})).includes(secret))
      assert.deepEqual([...error.metadata], [['x-request-id', requestId]])
    })
  }
})
