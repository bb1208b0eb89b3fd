import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { Code, createClient } from '@connectrpc/connect'
import { codeToString, errorToJson } from '@connectrpc/connect/protocol-connect'
import { RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService, SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { faultOf } from '../../src/lead/rules.ts'
import { fillForReader } from '../../src/problem/document.ts'
import { type ProblemRow, problemTable } from '../../src/problem/table.ts'
import { renderError } from '../../src/rpc/errors.ts'
import { quote } from '../support/submissions.ts'
import { refusalOf, startRpcServer, transports } from './rpc-server.ts'

const requestId = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11'
const notice = { version: '1', wording: 'Call me.', url: 'https://api.example.org/terms#consent' }
const business = { phone: '(202) 555-0100', email: 'hello@example.com', consent: notice }

function render(reason: unknown) {
  const context = { baseUrl: 'https://api.example.org', business, requestId, input: SubmitLeadRequestSchema }
  const error = renderError(reason, { ...context, message: create(SubmitLeadRequestSchema) })
  const [problem] = error.findDetails(ProblemSchema)
  assert.ok(problem)
  return { error, problem, retryInfo: error.findDetails(RetryInfoSchema)[0] }
}

test('a problem over RPC has the Connect code and the texts of its row in the problem table, and the wording if it is about consent', () => {
  for (const [code, row] of Object.entries<ProblemRow>(problemTable)) {
    if (row.connect === null) continue
    const { error, problem, retryInfo } = render(new LeadError(code as LeadError['code'], { detail: 'It went wrong.' }))
    assert.equal(codeToString(error.code), row.connect)
    assert.equal(error.rawMessage, 'It went wrong.')
    const { title, retryable, retry } = row
    const hint = fillForReader(row.hint, 'rpc', business)
    assert.partialDeepStrictEqual(problem, { code, title, hint, retryable, retry, detail: error.rawMessage })
    assert.equal(problem.instance, `urn:uuid:${requestId}`)
    if (row.status !== null) assert.equal(problem.type, `https://api.example.org/problems/${code}`)
    assert.equal(problem.retryAfterSeconds, retryable ? 2 : 0)
    assert.equal(retryInfo?.retryDelay?.seconds, retryable ? 2n : undefined)
  }
  const faults = [faultOf('communicationsConsent', 'consent_required')]
  const { problem } = render(new LeadError('consent_required', { faults }))
  assert.partialDeepStrictEqual(problem.consent, { version: notice.version, url: notice.url })
  assert(problem.errors[0]?.hint.includes('the wording, at `consent.url` in this response.'))
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
