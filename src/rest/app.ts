import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import { type HeaderFields, headerFields, mergeHeaderFields } from '../header-fields.ts'
import type { RenderProblem } from '../problem/document.ts'
import type { StartServerSpan } from '../trace.ts'
import { type Answer, sendAnswer } from './answer.ts'
import { ProblemError, refuseMethod } from './problem-error.ts'
import { answerProblem, createProblemFields, type ProblemAnswer, type ProblemFields } from './problems.ts'
import type { Context, RequestState, Route } from './routes.ts'
import { pathOf, requireTarget } from './target.ts'

/** What the log and the metrics learn of each request. It contains no text that a caller wrote. */
export interface RequestReport {
  requestId: string
  method: string
  /** A path of ours, never a caller's. */
  route: string
  status: number
  /** The problem that answered, if one did. */
  problemCode: string | undefined
  seconds: number
  /** Undefined while traces are off. */
  traceId: string | undefined
  /** The same where the trace is taken, so that it can be looked up. */
  sampledTraceId?: string | undefined
}

export interface RestAppOptions {
  baseUrl: string
  routes: readonly Route[]
  renderProblem: RenderProblem
  /** While true, answers ask their connections to close, so that callers go to another replica. */
  isStopping(): boolean
  onRequest(report: RequestReport): void
  /** Hears of each answer once it has been written, and how long its content is. */
  onAnswer(request: IncomingMessage, response: ServerResponse, bytes: number): void
  /** Left out: no traces. */
  trace?: StartServerSpan<RequestReport> | undefined
  /** An error that has no place in the problem table. */
  onError(error: unknown, requestId: string): void
}

/** The label of requests to paths that are not ours. */
export const unknownRoute = 'unknown'

/** The fields of every answer of the public listener. */
export function commonFields(baseUrl: string): HeaderFields {
  return headerFields({
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
  })
}

/** A path, with the fields of its answers put together once. */
interface Site {
  route: Route | undefined
  label: string
  fields: HeaderFields
  problemFields: ProblemFields
}

/**
 * Koa without what it does around its middleware: to write the answer that the middleware has set on the context, and to
 * follow each response to its end for an error handler that answers in text. Ours writes its answers, problems included.
 */
class Facade extends Koa<RequestState> {
  handleRequest(ctx: Context, middleware: (ctx: Context) => Promise<void>): Promise<void> {
    return middleware(ctx).catch((error: unknown) => {
      this.emit('error', error)
      ctx.res.destroy()
    })
  }
}

/**
 * The public facade as a request listener: finds the route, runs it, renders every error as a problem, writes the answer,
 * reports. One middleware, and an answer is written in one piece, as Koa's setters would take longer for it than all else
 * that happens here.
 */
export function createRestApp(options: RestAppOptions) {
  const { routes, renderProblem: render, isStopping, onAnswer, onRequest, trace, onError } = options
  const common = commonFields(options.baseUrl)
  const createSite = (route?: Route): Site => ({
    route,
    label: route?.path ?? unknownRoute,
    fields: mergeHeaderFields(common, route?.fields ?? []),
    problemFields: createProblemFields(options.baseUrl, common, route),
  })
  const sites = new Map(routes.map((route) => [route.path, createSite(route)]))
  const unknown = createSite()
  const app = new Facade()
  app.on('error', (error) => onError(error, 'none'))

  app.use(async (ctx: Context) => {
    const started = performance.now()
    const { req, res } = ctx
    const span = trace?.(req.headers)
    const requestId = randomUUIDv7()
    ctx.state = { requestId, client: undefined }
    // Most targets are a path and nothing else, which need not be parsed.
    const plain = sites.get(req.url as string)
    const path = plain?.route?.path ?? pathOf(req)
    const site = plain ?? (path === undefined ? undefined : sites.get(path)) ?? unknown
    const fields = ['X-Request-Id', requestId]
    if (isStopping()) fields.push('Connection', 'close')
    let problem: ProblemAnswer | undefined
    let answer: Answer
    try {
      answer = await (span ? span.run(() => run(site.route, path, ctx, fields)) : run(site.route, path, ctx, fields))
    } catch (error) {
      problem = answerProblem(error, { render, requestId, unexpected: (cause) => onError(cause, requestId) })
      answer = problem
    }
    sendAnswer(req, res, answer, fields.concat(problem ? site.problemFields(problem.code) : site.fields, answer.fields))
    onAnswer(req, res, req.method === 'HEAD' ? 0 : (answer.body?.length ?? 0))
    const report = {
      requestId,
      method: req.method as string,
      route: site.label,
      status: answer.status,
      problemCode: problem?.code,
      seconds: (performance.now() - started) / 1000,
      traceId: span?.traceId,
      sampledTraceId: span?.isSampled ? span.traceId : undefined,
    }
    span?.end(report)
    onRequest(report)
  })

  return app.callback()
}

/** Runs a route. Puts into `fields` what its answer has even if it is a problem. */
async function run(
  route: Route | undefined,
  path: string | undefined,
  ctx: Context,
  fields: string[],
): Promise<Answer> {
  const { req } = ctx
  if (route?.decorate) fields.push(...route.decorate(req))
  const handler = route?.methods[req.method as keyof Route['methods']]
  if (route?.admit && handler && req.method === 'POST') {
    const admission = await route.admit(req)
    ctx.state.client = admission.client
    fields.push(...admission.fields)
    if (admission.refusal) throw admission.refusal
  }
  requireTarget(req, path)
  if (!route) throw new ProblemError('not_found')
  if (!handler) throw refuseMethod(route.allow, req.method)
  return handler(ctx)
}
