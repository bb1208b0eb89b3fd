import { createHash, randomUUID, randomUUIDv7 } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyError } from 'fastify'
import { Redis } from 'ioredis'
import pg from 'pg'
import { pino } from 'pino'
import { Counter, Histogram } from 'prom-client'
import { bodyMaxBytes, policy, port, type Quote, quoteSchema, receiptSchema, setting } from './common.ts'

// Fastify 5 that does the service's work, as a good engineer would write it in a week with the usual plugins: ajv,
// @fastify/rate-limit, pino's request line, prom-client, a pool of pg, and a transaction for each lead.

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What the service records with each lead: the texts in force, by hash. */
const texts = {
  wordingVersion: '2026-11-26-0123abcd',
  wordingSha256: sha256('wording'),
  statementSha256: sha256('statement'),
  businessSha256: sha256('business'),
}
const keptHours = 24
const labelNames = ['method', 'route', 'status'] as const
const requests = new Counter({ name: 'requests_total', help: 'Requests.', labelNames })
const seconds = new Histogram({ name: 'request_seconds', help: 'Time to answer.', labelNames: ['route'] })

const pool = new pg.Pool({ connectionString: setting('DATABASE_URL') })
type Outcome = { id: string; received_at: string; created: boolean }

const insertClaim = `INSERT INTO claims (key, lead_id, received_at, ends_at)
  SELECT key, $2, $3, $4 FROM unnest($1::text[]) AS key ON CONFLICT (key) DO NOTHING`
const insertLead =
  'INSERT INTO leads (id, received_at, phone, email, personal, evidence) VALUES ($1, $2, $3, $4, $5, $6)'
const findClaim = 'SELECT lead_id AS id, received_at FROM claims WHERE key = ANY ($1) ORDER BY received_at LIMIT 1'

/** Stores a lead unless its key or its content is claimed, in one transaction. */
async function store(quote: Quote, key: string | undefined, client: string, agent: string, requestId: string) {
  const id = randomUUIDv7()
  const receivedAt = new Date().toISOString()
  const { communicationsConsent, consentTimestamp, pageUrl, ...content } = quote
  const personal = JSON.stringify({ content: quote, clientAddress: client, userAgent: agent, random: randomUUID() })
  const consent = { communicationsConsent, consentTimestamp, purpose: 'contact about this quote request', ...texts }
  const own = { id, kind: 'quote', receivedAt, path: 'v1', requestId, personalSha256: sha256(personal) }
  const evidence = JSON.stringify({ ...own, ...consent })
  const claims = [sha256(JSON.stringify(content).toLowerCase())]
  if (key !== undefined) claims.push(sha256(`${client} ${key}`))
  const endsAt = new Date(Date.now() + keptHours * 3_600_000).toISOString()
  const session = await pool.connect()
  try {
    await session.query('BEGIN')
    const { rowCount } = await session.query({
      name: 'insert_claim',
      text: insertClaim,
      values: [claims, id, receivedAt, endsAt],
    })
    if (rowCount === claims.length) {
      const values = [id, receivedAt, quote.phone, quote.email.toLowerCase(), personal, evidence]
      await session.query({ name: 'insert_lead', text: insertLead, values })
      await session.query('COMMIT')
      return { id, receivedAt, created: true, evidenceSha256: sha256(evidence) }
    }
    await session.query('ROLLBACK')
    const { rows } = await session.query<Outcome>({ name: 'find_claim', text: findClaim, values: [claims] })
    return { id: rows[0]?.id ?? id, receivedAt: rows[0]?.received_at ?? receivedAt, created: false }
  } finally {
    session.release()
  }
}

const app = fastify({
  trustProxy: 'loopback',
  bodyLimit: bodyMaxBytes,
  // One line for each request, as the service has it, and not Fastify's two.
  loggerInstance: pino({ base: undefined }),
  disableRequestLogging: true,
  genReqId: () => randomUUIDv7(),
})
app.addHook('onRequest', async (request, reply) => {
  reply.headers({
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Vary: 'Origin',
  })
})
app.addHook('onResponse', async (request, reply) => {
  const { method } = request
  const { statusCode: status, elapsedTime: ms } = reply
  const route = request.routeOptions.url ?? 'unknown'
  requests.inc({ method, route, status })
  seconds.observe({ route }, ms / 1000)
  request.log.info({ method, route, status, ms, ...reply.lead }, 'request')
})
app.decorateReply('lead', undefined)

/** A problem document (RFC 9457) with the fields at fault. */
app.setErrorHandler<FastifyError>((error, request, reply) => {
  const status = error.validation ? 422 : (error.statusCode ?? 500)
  const code = status === 429 ? 'rate_limited' : status === 422 ? 'validation_failed' : 'bad_request'
  const errors = error.validation?.map(({ instancePath, message }) => ({
    pointer: `#${instancePath}`,
    code: 'invalid_value',
    detail: message,
    hint: 'Send a valid value.',
  }))
  const problem = { type: `/problems/${code}`, title: code, status, code, detail: error.message }
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ ...problem, retry: 'after_correction', requestId: request.id, ...(errors && { errors }) })
})
await app.register(rateLimit, {
  max: policy.limit,
  timeWindow: policy.windowSeconds * 1000,
  redis: new Redis(setting('REDIS_URL'), { connectTimeout: 500, maxRetriesPerRequest: 1, enableAutoPipelining: true }),
  enableDraftSpec: true,
  skipOnError: true,
  // Plain Fastify counts in the same Redis.
  nameSpace: 'fastify-same-',
})
app.post<{ Body: Quote; Headers: { 'idempotency-key'?: string } }>(
  '/api/v1/leads',
  { schema: { body: quoteSchema, response: { '2xx': receiptSchema } } },
  async (request, reply) => {
    const { 'idempotency-key': key, 'user-agent': agent = '' } = request.headers
    const { id, receivedAt, created, evidenceSha256 } = await store(request.body, key, request.ip, agent, request.id)
    reply.lead = { leadId: id, evidenceSha256 }
    return reply.code(created ? 201 : 200).send({ id, formType: 'quote', receivedAt })
  },
)
await app.listen({ port, host: '127.0.0.1' })

declare module 'fastify' {
  interface FastifyReply {
    lead: { leadId: string; evidenceSha256: string | undefined } | undefined
  }
}
