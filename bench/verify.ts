import assert from 'node:assert/strict'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { LeadIntakeService } from '../src/gen/leadintake/v1/intake_pb.ts'
import { countLeads } from './backend.ts'
import { policy } from './peer/quote.ts'
import { quote } from './sample-quote.ts'
import type { Server } from './server.ts'

/** An address that no load uses. */
const client = '192.0.2.2'

async function submit(server: Server, body: object): Promise<Response> {
  return await fetch(`${server.publicUrl}/api/v1/leads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: JSON.stringify(body),
  })
}

/**
 * Verifies that a REST server does the measured work: it stores a row and answers 201 with the headers, refuses a quote
 * without consent, and refuses a client's eleventh request. Rejects with an `AssertionError` otherwise.
 */
export async function verifyServer(server: Server, title: string): Promise<void> {
  const rows = await countLeads(server.databaseUrl)
  const created = await submit(server, quote)
  assert.equal(created.status, 201, `${title}: ${await created.clone().text()}`)
  assert.match(((await created.json()) as { id: string }).id, /^[0-9a-f-]{36}$/, title)
  assert.equal(created.headers.get('ratelimit-limit'), String(policy.limit), title)
  assert.equal(created.headers.get('ratelimit-remaining'), String(policy.limit - 1), title)
  assert.ok(Number(created.headers.get('ratelimit-reset')) <= policy.windowSeconds, title)
  assert.equal(await countLeads(server.databaseUrl), rows + 1, `${title} stores one row`)

  const withoutConsent = await submit(server, { ...quote, communicationsConsent: false })
  assert.ok([400, 422].includes(withoutConsent.status), `${title} refuses a quote without consent`)
  for (let request = 3; request <= policy.limit; request++) await submit(server, {})
  const refused = await submit(server, quote)
  assert.equal(refused.status, 429, `${title} refuses request ${policy.limit + 1}`)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1, title)
}

/**
 * Verifies that a gRPC server does the measured work: it stores a row and answers with its id, and refuses a quote
 * without consent. Rejects with an `AssertionError` otherwise.
 */
export async function verifyGrpcServer(server: Server, title: string): Promise<void> {
  const sessionManager = new Http2SessionManager(server.internalUrl)
  const transport = createGrpcTransport({ baseUrl: server.internalUrl, sessionManager })
  const { submitLead } = createClient(LeadIntakeService, transport)
  const send = (value: typeof quote) => submitLead({ lead: { case: 'quoteRequest', value } })

  const rows = await countLeads(server.databaseUrl)
  const { id, receivedAt } = await send(quote)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, title)
  assert.ok(receivedAt, title)
  assert.equal(await countLeads(server.databaseUrl), rows + 1, `${title} stores one row`)

  const isRefusal = (error: unknown) => {
    const { code } = ConnectError.from(error)
    return code === Code.InvalidArgument || code === Code.FailedPrecondition
  }
  const withoutConsent = send({ ...quote, communicationsConsent: false })
  await assert.rejects(withoutConsent, isRefusal, `${title} refuses a quote without consent`)
  assert.equal(await countLeads(server.databaseUrl), rows + 1, `${title} stores nothing without consent`)
  sessionManager.abort()
}
