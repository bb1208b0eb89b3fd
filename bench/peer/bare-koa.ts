import { readFileSync } from 'node:fs'
import Koa from 'koa'
import { pino } from 'pino'
import { Counter, Histogram } from 'prom-client'
import { port, setting } from './common.ts'

// Koa with a log line and metrics, as any team has them, and nothing else: it refuses every submission and serves one
// document. Its answers are those that the runner has received from the service, field by field.

/** An answer of the service, without the fields that Node and Koa add. */
type Recorded = { status: number; fields: Record<string, string>; body: string }

const answers = readFileSync(setting('ANSWERS_FILE'), 'utf8')
const { refusal, document }: Record<'refusal' | 'document', Recorded> = JSON.parse(answers)

const log = pino()
const labelNames = ['method', 'route', 'status'] as const
const requests = new Counter({ name: 'requests_total', help: 'Requests.', labelNames })
const seconds = new Histogram({ name: 'request_seconds', help: 'Time to answer.', labelNames: ['route'] })

const app = new Koa()
app.use((ctx, next) => {
  const startedMs = performance.now()
  ctx.res.once('finish', () => {
    const { method, path: route, status } = ctx
    const ms = performance.now() - startedMs
    requests.inc({ method, route, status })
    seconds.observe({ route }, ms / 1000)
    log.info({ method, route, status, ms, requestId: refusal.fields['x-request-id'] }, 'request')
  })
  return next()
})
app.use((ctx) => {
  const { status, fields, body } = ctx.method === 'POST' ? refusal : document
  ctx.status = status
  ctx.set(fields)
  if (ctx.fresh) ctx.status = 304
  else ctx.body = body
})
app.listen(port, '127.0.0.1')
