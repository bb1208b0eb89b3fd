import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { port, setting } from './environment.ts'
import { openLeadPool } from './lead-table.ts'
import { bodyMaxBytes, policy } from './quote.ts'
import { zodQuote } from './zod-quote.ts'

// Koa 3, rate-limiter-flexible, zod, and a pg pool.

const store = await openLeadPool()
const limiter = new RateLimiterRedis({
  storeClient: new Redis(setting('REDIS_URL')),
  points: policy.limit,
  duration: policy.windowSeconds,
})

async function limitRate(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  const usage = await limiter.consume(ctx.ip).catch((reason) => {
    if (reason instanceof RateLimiterRes) return reason
    throw reason
  })
  const resetSeconds = Math.ceil(usage.msBeforeNext / 1000)
  ctx.set('RateLimit-Limit', String(policy.limit))
  ctx.set('RateLimit-Remaining', String(usage.remainingPoints))
  ctx.set('RateLimit-Reset', String(resetSeconds))
  ctx.set('RateLimit-Policy', `${policy.limit};w=${policy.windowSeconds}`)
  if (usage.consumedPoints > policy.limit) {
    ctx.status = 429
    ctx.set('Retry-After', String(resetSeconds))
    ctx.body = { error: 'Too many requests' }
    return
  }
  await next()
}

async function takeLead(ctx: Koa.Context): Promise<void> {
  const quote = zodQuote.safeParse(ctx.request.body)
  if (!quote.success) {
    ctx.status = 422
    ctx.body = { errors: quote.error.issues }
    return
  }
  ctx.status = 201
  ctx.body = await store(quote.data)
}

const router = new Router()
router.post('/api/v1/leads', limitRate, bodyParser({ jsonLimit: `${bodyMaxBytes}b` }), takeLead)
const app = new Koa({ proxy: true })
app.use(router.routes())
app.listen(port, '127.0.0.1')
