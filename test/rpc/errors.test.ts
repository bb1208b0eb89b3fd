import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { create, type Message, type MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { codeToString, errorToJson } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { LeadInboxService, ListLeadsRequestSchema } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService, SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { LeadError, type LeadErrorCode } from '../../src/lead/error.ts'
import { faultOf } from '../../src/lead/rules.ts'
import { type ProblemRow, problemTable } from '../../src/problem/table.ts'
import { renderError } from '../../src/rpc/problem-detail.ts'
import { createRouterOptions, createRpcRoutes } from '../../src/rpc/services.ts'
import { quote } from '../support/submissions.ts'
import { type RpcServerOptions, rpcOptions, twoFaults } from './rpc-server.ts'

const requestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'
const notice = { version: '1', wording: 'Call me.', url: 'https://api.example.org/terms#consent' }

function render(reason: unknown, message: Message | undefined = create(SubmitLeadRequestSchema)) {
  const site = {
    baseUrl: 'https://api.example.org',
    business: { phone: '(202) 555-0100', consent: notice },
    requestId,
    input: SubmitLeadRequestSchema,
  }
  const error = renderError(reason, { ...site, message })
  const [problem] = error.findDetails(ProblemSchema)
  assert.ok(problem)
  const [badRequest] = error.findDetails(BadRequestSchema)
  return { error, problem, violations: badRequest?.fieldViolations, retryInfo: error.findDetails(RetryInfoSchema)[0] }
}

const request = (lead: NonNullable<MessageInitShape<typeof SubmitLeadRequestSchema>['lead']>) =>
  create(SubmitLeadRequestSchema, { lead })
const invalid = (...names: string[]) =>
  new LeadError('validation_failed', 'Faults.', { faults: names.map((name) => faultOf(name, 'invalid_value')) })

suite('a problem over RPC', () => {
  for (const [code, row] of Object.entries<ProblemRow>(problemTable)) {
    if (row.connect === null) continue
    test(`${code} has the Connect code and the texts of its row in the problem table`, () => {
      const { error, problem, retryInfo } = render(new LeadError(code as LeadErrorCode, 'What went wrong this time.'))
      assert.equal(codeToString(error.code), row.connect)
      assert.equal(error.rawMessage, 'What went wrong this time.')
      const { title, retryable, retry } = row
      const hint = row.hint.replaceAll('{{phone}}', '(202) 555-0100')
      assert.partialDeepStrictEqual(problem, { code, title, hint, retryable, retry, detail: error.rawMessage })
      assert.equal(problem.instance, `urn:uuid:${requestId}`)
      if (row.status !== null) assert.equal(problem.type, `https://api.example.org/problems/${code}`)
      assert.equal(problem.retryAfterSeconds, retryable ? 1 : 0)
      assert.equal(retryInfo?.retryDelay?.seconds, retryable ? 1n : undefined)
    })
  }

  test('about consent has the wording, as in REST', () => {
    const faults = [faultOf('communicationsConsent', 'consent_required')]
    const { problem } = render(new LeadError('consent_required', 'no', { faults }))
    assert.partialDeepStrictEqual(problem.consent, notice)
    assert.equal(render(invalid('name')).problem.consent, undefined)
  })

  test('lists every invalid field, for our clients and for generic ones', () => {
    const { problem, violations } = render(twoFaults(), request({ case: 'quoteRequest', value: {} }))
    assert.partialDeepStrictEqual(problem.errors, twoFaults().faults)
    assert.partialDeepStrictEqual(violations, [
      { field: 'quote_request.phone', description: 'must be a 10-digit U.S. number (+1)', reason: 'INVALID_PHONE' },
      { field: 'quote_request.bedrooms', description: 'is required', reason: 'REQUIRED' },
    ])
  })

  test('lists 50 faults, counts the others, and includes suggestions', () => {
    const faults = Array.from({ length: 60 }, (_, index) => ({
      ...faultOf(`m${index}`, 'unknown_field'),
      ...(index === 0 && { suggestion: 'name' }),
    }))
    const { problem, violations } = render(new LeadError('validation_failed', '60 faults.', { faults }))
    assert.deepEqual([problem.errors.length, problem.errorsOmitted, violations?.length], [50, 10, 50])
    assert.deepEqual([problem.errors[0]?.suggestion, problem.errors[1]?.suggestion], ['name', ''])
  })

  test('names fields by their path in the message that was sent', () => {
    const fieldsOf = ({ violations }: ReturnType<typeof render>) => violations?.map(({ field }) => field)
    const contact = request({ case: 'contactMessage', value: {} })
    assert.deepEqual(fieldsOf(render(invalid('helpWith'), contact)), ['contact_message.help_with'])
    assert.deepEqual(fieldsOf(render(invalid('lead', 'idempotencyKey'))), ['lead', 'idempotency_key'])
    const site = { baseUrl: '', business: undefined, requestId, input: ListLeadsRequestSchema, message: undefined }
    const [badRequest] = renderError(invalid('pageSize'), site).findDetails(BadRequestSchema)
    assert.equal(badRequest?.fieldViolations[0]?.field, 'page_size')
  })

  test('of an unexpected error reveals nothing', () => {
    const secret = 'customer@example.com'
    for (const reason of [new Error(secret), secret, undefined]) {
      const { error, problem } = render(reason)
      assert.deepEqual([error.code, error.rawMessage], [Code.Internal, problemTable.internal_error.detail])
      assert.equal(problem.code, 'internal_error')
      assert.ok(!JSON.stringify(errorToJson(error, {})).includes(secret))
      assert.deepEqual([...error.metadata], [['x-request-id', requestId]])
    }
  })
})

suite('what a handler throws', () => {
  /** In-memory clients of the services: no listener, but with the routes and the interceptor. */
  function connect(serverOptions: RpcServerOptions) {
    const { options, errors } = rpcOptions(serverOptions)
    const transport = createRouterTransport(createRpcRoutes(options), { router: createRouterOptions(options) })
    const inbox = createClient(LeadInboxService, transport)
    const seen: string[] = []
    const watch = async () => {
      for await (const { cursor } of inbox.watchLeads({})) seen.push(cursor)
    }
    const intake = createClient(LeadIntakeService, transport)
    return { errors, seen, submit: () => intake.submitLead({ lead: { case: 'quoteRequest', value: quote } }), watch }
  }
  const throwing = (reason: unknown) =>
    connect({
      async submit() {
        throw reason
      },
      inbox: {
        async *watchLeads() {
          yield { cursor: '1' }
          throw reason
        },
      },
    })

  test('by the domain reaches the caller with its details, and is not logged', async () => {
    const { submit, watch, seen, errors } = throwing(twoFaults())
    for (const call of [submit, watch]) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof ConnectError)
        assert.equal(error.code, Code.InvalidArgument)
        assert.equal(error.findDetails(ProblemSchema)[0]?.errors.length, 2)
        return true
      })
    }
    assert.deepEqual([seen, errors], [['1'], []])
  })

  test('unexpectedly is logged with the id of the request, and the caller learns nothing about it', async () => {
    const cause = new Error('relation "leads" does not exist')
    const { submit, watch, errors } = throwing(cause)
    for (const call of [submit, watch]) {
      await assert.rejects(
        call,
        (error) =>
          error instanceof ConnectError && error.code === Code.Internal && !error.rawMessage.includes('relation'),
      )
      const logged = errors.pop()
      assert.equal(logged?.error, cause)
      assert.match(logged.requestId, /^[0-9a-f-]{36}$/)
    }
  })
})
