import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'
import { Redis } from 'ioredis'
import { bodyMaxBytes, openLeadPool, patterns, policy, port, type Quote, setting } from './common.ts'

// Fastify 5, @fastify/rate-limit, ajv (Fastify's own validator), and a pg pool.

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const form = (pattern: RegExp, maxLength = 254) => ({ type: 'string', pattern: pattern.source, maxLength })

const required = {
  name: text(200),
  phone: form(patterns.phone),
  email: form(patterns.email),
  bedrooms: form(patterns.count),
  bathrooms: form(patterns.count),
  service: text(100),
  notes: text(5_000),
  communicationsConsent: { const: true },
}
const optional = { consentTimestamp: form(patterns.utcDateTime), pageUrl: form(patterns.url, 2_048) }
const quoteSchema = {
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional } satisfies Record<keyof Quote, object>,
}

const receiptSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, formType: { type: 'string' }, receivedAt: { type: 'string' } },
}

const store = openLeadPool()
const app = fastify({ trustProxy: 'loopback', bodyLimit: bodyMaxBytes })
await app.register(rateLimit, {
  max: policy.limit,
  timeWindow: policy.windowSeconds * 1000,
  redis: new Redis(setting('REDIS_URL'), { connectTimeout: 500, maxRetriesPerRequest: 1 }),
  enableDraftSpec: true,
})
app.post<{ Body: Quote }>(
  '/api/v1/leads',
  { schema: { body: quoteSchema, response: { 201: receiptSchema } } },
  async (request, reply) => {
    const receipt = await store(request.body)
    return reply.code(201).send(receipt)
  },
)
await app.listen({ port, host: '127.0.0.1' })
