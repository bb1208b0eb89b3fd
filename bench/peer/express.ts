import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { type RedisReply, RedisStore } from 'rate-limit-redis'
import { port, setting } from './environment.ts'
import { openLeadPool } from './lead-table.ts'
import { bodyMaxBytes, policy } from './quote.ts'
import { zodQuote } from './zod-quote.ts'

// Express 5, express-rate-limit, zod, and a pg pool.

const store = await openLeadPool()
const redis = new Redis(setting('REDIS_URL'))
const limiter = rateLimit({
  windowMs: policy.windowSeconds * 1000,
  limit: policy.limit,
  standardHeaders: 'draft-6',
  legacyHeaders: false,
  store: new RedisStore({
    sendCommand: (command, ...args) => redis.call(command, ...args) as Promise<RedisReply>,
  }),
})

const app = express()
app.set('trust proxy', 'loopback')
app.set('etag', false)
app.disable('x-powered-by')
app.post('/api/v1/leads', limiter, express.json({ limit: bodyMaxBytes }), async (request, response) => {
  const quote = zodQuote.safeParse(request.body)
  if (!quote.success) {
    response.status(422).json({ errors: quote.error.issues })
    return
  }
  response.status(201).json(await store(quote.data))
})
app.listen(port, '127.0.0.1')
