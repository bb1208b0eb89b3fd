import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Koa from 'koa'
import { policy, port, setting } from './common.ts'

// Koa without a backend: it refuses every submission and serves one document, byte for byte the service's.

const document = readFileSync(setting('DOCUMENT_FILE'))
const etag = `"${createHash('sha256').update(document).digest('base64url')}"`
const refusal = JSON.stringify({
  type: 'about:blank',
  title: 'Too many submissions',
  status: 429,
  detail: `The limit of ${policy.limit} submissions in ${policy.windowSeconds} seconds is used up.`,
})

const app = new Koa()
app.use((ctx) => {
  if (ctx.method === 'POST') {
    ctx.status = 429
    ctx.set('RateLimit-Limit', String(policy.limit))
    ctx.set('RateLimit-Remaining', '0')
    ctx.set('RateLimit-Reset', String(policy.windowSeconds))
    ctx.set('RateLimit-Policy', `${policy.limit};w=${policy.windowSeconds}`)
    ctx.set('Retry-After', String(policy.windowSeconds))
    ctx.set('Content-Type', 'application/problem+json')
    ctx.body = refusal
    return
  }
  ctx.status = 200
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', 'public, max-age=3600')
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', 'application/json')
  ctx.body = document
})
app.listen(port, '127.0.0.1')
