import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import { type CallerIds, readCallerIds } from '../caller-ids.ts'
import { type HeaderFields, headerFields, mergeHeaderFields } from '../header-fields.ts'
import type { RenderProblem } from '../problem/document.ts'
import { type Answer, contentLength, sendAnswer } from './answer.ts'
import { refuseMethod, refusePath } from './problem-error.ts'
import { answerProblem, createProblemFields, type ProblemAnswer, type ProblemFields } from './problems.ts'
import type { Context, RequestState, Route } from './routes.ts'
import { pathOf, requireTarget } from './target.ts'

/** Facts about each request, for the log and the metrics. Of a caller's text it holds only ids. */
export interface RequestReport extends Partial<CallerIds> {
  requestId: string
  method: string
  /** One of our paths, never one that a caller wrote. */
  route: string
  status: number
  /** The code of the problem, if the answer is one. */
  problemCode: string | undefined
  seconds: number
}

export interface RestAppOptions {
  baseUrl: string
  routes: readonly Route[]
  renderProblem: RenderProblem
  /** While true, answers have `Connection: close`, so that callers move to another replica. */
  isStopping(): boolean
  onRequest(report: RequestReport): void
  /** Called when an answer has been written, with the length of its content. */
  onAnswer(response: ServerResponse, bytes: number): void
  /** Called for an error that is not in the problem table. */
  onError(error: unknown, requestId: string): void
}

/** The label of requests to unknown paths. */
export const unknownRoute = 'unknown'

/** The fields of every answer of the public listener. */
export function commonFields(baseUrl: string): HeaderFields {
  return headerFields({
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
  })
}

/** A path and its precomputed answer fields. */
interface Site {
  route: Route | undefined
  label: string
  fields: HeaderFields
  problemFields: ProblemFields
}

/**
 * Koa without its response handling. Koa would write the answer from the context and watch each response for an error
 * handler that answers in plain text; this facade writes its own answers, problems included. So a context needs no
 * getters and setters either.
 */
class Facade extends Koa<RequestState> {
  override createContext<State>(req: IncomingMessage, res: ServerResponse) {
    return { req, res, state: undefined } as unknown as Koa.ParameterizedContext<State>
  }

  handleRequest(ctx: Context, middleware: (ctx: Context) => Promise<void>): Promise<void> {
    return middleware(ctx).catch((error: unknown) => {
      this.emit('error', error)
      ctx.res.destroy()
    })
  }
}

/**
 * The public facade as a request listener: finds the route, runs it, renders errors as problems, writes the answer, and
 * reports. It is one middleware and writes answers in one piece, because Koa's setters would take longer than
 * everything else.
 */
export function createRestApp(options: RestAppOptions) {
  const { routes, renderProblem: render, isStopping, onAnswer, onRequest, onError } = options
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
    const requestId = randomUUIDv7()
    const state: RequestState = { requestId, client: undefined, decorated: [], admitted: [] }
    ctx.state = state
    // Most targets are a plain path and need no parsing.
    const plain = sites.get(req.url as string)
    const path = plain?.route?.path ?? pathOf(req)
    const site = plain ?? (path === undefined ? undefined : sites.get(path)) ?? unknown
    let problem: ProblemAnswer | undefined
    let answer: Answer
    try {
      answer = await run(site.route, path, ctx)
    } catch (error) {
      problem = answerProblem(error, { render, requestId, unexpected: (cause) => onError(cause, requestId) })
      answer = problem
    }
    // One list, made at once: a list that grows is copied again and again.
    const fields = (isStopping() ? ['X-Request-Id', requestId, ...closing] : ['X-Request-Id', requestId]).concat(
      state.decorated,
      state.admitted,
      problem ? site.problemFields(problem.code) : site.fields,
      answer.fields,
      contentLength(answer),
    )
    sendAnswer(req, res, answer, fields)
    onAnswer(res, req.method === 'HEAD' ? 0 : (answer.body?.length ?? 0))
    onRequest({
      requestId,
      method: req.method as string,
      route: site.label,
      status: answer.status,
      problemCode: problem?.code,
      seconds: (performance.now() - started) / 1000,
      ...readCallerIds(req.headers),
    })
  })

  return app.callback()
}

const closing = ['Connection', 'close']

/** Runs a route. */
async function run(route: Route | undefined, path: string | undefined, ctx: Context): Promise<Answer> {
  const { req, state } = ctx
  if (route?.decorate) state.decorated = route.decorate(req)
  const handler = route?.methods[req.method as keyof Route['methods']]
  if (route?.admit && handler && req.method === 'POST') {
    const admission = await route.admit(req)
    state.client = admission.client
    state.admitted = admission.fields
    if (admission.refusal) throw admission.refusal
  }
  requireTarget(req, path)
  if (!route) throw refusePath(req.method, path)
  if (!handler) throw refuseMethod(route.allow, req.method)
  return await handler(ctx)
}
