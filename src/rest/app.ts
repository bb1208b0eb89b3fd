import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import type { StartServerSpan } from '../trace.ts'
import { answerEarly } from './early-answer.ts'
import { ProblemError } from './problem-error.ts'
import { answerProblem } from './problems.ts'
import type { Context, RequestState, Route } from './routes.ts'

/** What is told of each request, for the log and the metrics. No part of it is a caller's text. */
export interface RequestReport {
  requestId: string
  method: string
  route: string
  status: number
  problemCode: string | undefined
  seconds: number
  /** Undefined while traces are off. */
  traceId: string | undefined
}

export interface RestAppOptions {
  baseUrl: string
  routes: readonly Route[]
  /** While true, answers ask their connections to close, so that callers go to another replica. */
  isStopping(): boolean
  onRequest(report: RequestReport): void
  /** Left out: no traces. */
  trace?: StartServerSpan<RequestReport> | undefined
  /** An error that has no place in the problem table. */
  onError(error: unknown, requestId: string): void
}

/** The label of requests to paths that are not ours. */
export const unknownRoute = 'unknown'

/** The fields of every answer of the public listener. */
export function commonHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
  }
}

/**
 * The public facade as a request listener: finds the route, runs it, renders every error as a problem, reports. One
 * middleware, outermost, since Koa's own error handler clears the fields that were set and answers in text.
 */
export function createRestApp({ baseUrl, routes, isStopping, onRequest, trace, onError }: RestAppOptions) {
  const table = new Map(routes.map((route) => [route.path, route]))
  const common = Object.entries(commonHeaders(baseUrl))
  const app = new Koa<RequestState>()
  app.on('error', (error) => onError(error, 'none'))

  app.use(async (ctx: Context) => {
    const started = performance.now()
    const { state, req, res } = ctx
    const span = trace?.(req.headers)
    state.requestId = randomUUIDv7()
    state.problemCode = undefined
    res.setHeader('X-Request-Id', state.requestId)
    for (const [name, value] of common) res.setHeader(name, value)
    if (isStopping()) res.setHeader('Connection', 'close')
    const route = table.get(ctx.path)
    state.route = route?.path ?? unknownRoute
    try {
      if (!route) throw new ProblemError('not_found')
      await (span ? span.run(() => run(route, ctx, req, res)) : run(route, ctx, req, res))
    } catch (error) {
      renderError(ctx, error)
    }
    const report = {
      requestId: state.requestId,
      method: ctx.method,
      route: state.route,
      status: res.statusCode,
      problemCode: state.problemCode,
      seconds: (performance.now() - started) / 1000,
      traceId: span?.traceId,
    }
    span?.end(report)
    onRequest(report)
  })

  function renderError(ctx: Context, error: unknown): void {
    const { requestId } = ctx.state
    const answer = answerProblem(error, { baseUrl, requestId, unexpected: (cause) => onError(cause, requestId) })
    ctx.state.problemCode = answer.code
    ctx.status = answer.status
    for (const name in answer.headers) ctx.res.setHeader(name, answer.headers[name] as string)
    if (ctx.req.complete || ctx.req.destroyed) {
      ctx.body = answer.body
    } else {
      ctx.respond = false
      answerEarly(ctx.req, ctx.res, answer.body)
    }
  }

  return app.callback()
}

async function run(route: Route, ctx: Context, req: IncomingMessage, res: ServerResponse): Promise<void> {
  for (const name in route.headers) res.setHeader(name, route.headers[name] as string)
  route.decorate?.(req, res)
  const handler = route.methods[ctx.method as keyof Route['methods']]
  if (ctx.method === 'POST' && handler) await route.admit?.(req, res)
  // Node would refuse this itself, but not as a problem (RFC 9112 §3.2).
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new ProblemError('bad_request', { detail: 'The Host header is missing.' })
  }
  if (!handler) throw new ProblemError('method_not_allowed', { headers: { Allow: route.allow } })
  await handler(ctx)
}
