// Submits one lead: node submit-lead.ts http://HOST:PORT
//
// Needs @connectrpc/connect-node, and gen/, generated from proto/ (docs/inbox.md says how).
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { RetryInfoSchema } from './gen/google/rpc/error_details_pb.ts'
import { LeadIntakeService } from './gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from './gen/leadintake/v1/problem_pb.ts'

const value = {
  name: 'Pat Example',
  phone: '(202) 555-0123',
  email: 'pat@example.com',
  bedrooms: '3',
  bathrooms: '2.5',
  service: 'Deep clean',
  notes: 'Two cats.',
  communicationsConsent: true,
}
// One key for one lead: every attempt sends the same, so they cannot become two leads.
const request = { lead: { case: 'quoteRequest' as const, value }, idempotencyKey: randomUUID() }
// With certificates: createGrpcTransport({ baseUrl, nodeOptions: { ca, cert, key } }).
const intake = createClient(LeadIntakeService, createGrpcTransport({ baseUrl: process.argv[2] ?? '' }))

// Refused by the RPC runtime before the service saw the request: these never succeed.
const final = [Code.ResourceExhausted, Code.Unimplemented, Code.InvalidArgument]

for (let attempt = 1; ; attempt++) {
  try {
    console.log('stored as', (await intake.submitLead(request, { timeoutMs: 10_000 })).id)
    break
  } catch (reason) {
    const error = ConnectError.from(reason)
    // Usually, without a problem no answer arrived, and the lead may be stored. The key makes it safe to send it again.
    const [problem] = error.findDetails(ProblemSchema)
    const [retry] = error.findDetails(RetryInfoSchema)
    if (!(problem?.retryable ?? !final.includes(error.code)) || attempt === 3) {
      console.error(Code[error.code], problem?.code, error.rawMessage, problem?.hint, problem?.consent?.url ?? '')
      for (const { pointer, hint } of problem?.errors ?? []) console.error(`${pointer}: ${hint}`)
      process.exit(1)
    }
    await sleep(1000 * Number(retry?.retryDelay?.seconds ?? 2))
  }
}
