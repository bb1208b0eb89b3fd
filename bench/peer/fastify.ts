import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'
import { Redis } from 'ioredis'
import { bodyMaxBytes, openLeadPool, policy, port, type Quote, quoteSchema, receiptSchema, setting } from './common.ts'

// Fastify 5, @fastify/rate-limit, ajv (Fastify's own validator), and a pg pool.

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
