import { randomUUIDv7 } from 'node:crypto'
import type { RequestListener } from 'node:http'
import Koa from 'koa'
import { type CallerIds, readCallerIds } from '../caller-ids.ts'
import type { RenderProblem } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import { contentLength } from './answer.ts'
import { type HeaderFields, headerFields, mergeHeaderFields } from './header-fields.ts'
import { methodNotAllowed, pathNotFound } from './no-route.ts'
import { answerProblem, createFieldsByCode, type FieldsByCode } from './problems.ts'
import { type Context, type Middleware, type RequestState, type Route, redirectToRoute } from './routes.ts'
import { pathOf, requireTarget } from './wire/request-target.ts'

/** Facts about each request, for the log and the metrics. Of a caller's text it holds only ids. */
export interface RequestReport extends Partial<CallerIds> {
  requestId: string
  method: string
  /** One of our paths, never one that a caller wrote. */
  route: string
  status: number
  /** The code of the problem, if the answer is one. */
  problemCode: ProblemCode | undefined
  seconds: number
}

export interface RestAppOptions {
  baseUrl: string
  routes: readonly Route[]
  renderProblem: RenderProblem
  /** While true, answers have `Connection: close`, so that callers move to another replica. */
  isStopping(): boolean
  onRequest(report: RequestReport): void
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
interface Endpoint {
  route: Route | undefined
  label: string
  fields: HeaderFields
  fieldsByCode: FieldsByCode
}

/**
 * The public listener's requests: three middlewares, from the outermost. `answerRequest` writes the answer, logs it and
 * counts it, `renderProblems` turns errors into answers, and `runRoute` calls the route's handler. Header fields that are
 * set on Koa's context have no effect: each answer is written in one piece
 * (docs/decisions/0012-answers-in-one-piece.md).
 */
export function createRestApp(options: RestAppOptions): RequestListener {
  const { baseUrl, routes, renderProblem: render, isStopping, onRequest, onError } = options
  const common = commonFields(baseUrl)
  const createEndpoint = (route?: Route): Endpoint => ({
    route,
    label: route?.path ?? unknownRoute,
    fields: mergeHeaderFields(common, route?.fields ?? []),
    fieldsByCode: createFieldsByCode(baseUrl, common, route),
  })
  const endpoints = new Map(routes.map((route) => [route.path, createEndpoint(route)]))
  const unknownEndpoint = createEndpoint()
  const endpointOf = ({ state: { path } }: Context) =>
    (path === undefined ? undefined : endpoints.get(path)) ?? unknownEndpoint

  const answerRequest: Middleware = async (ctx, next) => {
    const started = performance.now()
    const { req, res } = ctx
    const requestId = randomUUIDv7()
    const state: RequestState = {
      requestId,
      path: pathOf(req),
      client: undefined,
      corsFields: [],
      rateFields: [],
      answer: undefined,
      problemCode: undefined,
    }
    ctx.state = state
    ctx.respond = false
    await next()
    const { corsFields, rateFields, answer, problemCode } = state
    if (!answer) throw new Error('a route returned no answer')
    const { label, fields, fieldsByCode } = endpointOf(ctx)
    const all = ['X-Request-Id', requestId].concat(
      isStopping() ? closing : [],
      corsFields,
      rateFields,
      problemCode ? fieldsByCode(problemCode) : fields,
      answer.fields,
      contentLength(answer),
    )
    res.writeHead(answer.status, all)
    res.end(answer.body)
    onRequest({
      requestId,
      method: req.method as string,
      route: label,
      status: answer.status,
      problemCode,
      seconds: (performance.now() - started) / 1000,
      ...readCallerIds(req.headers),
    })
  }

  const renderProblems: Middleware = async ({ state }, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId } = state
      const problem = answerProblem(error, { render, requestId, unexpected: (cause) => onError(cause, requestId) })
      state.answer = problem
      state.problemCode = problem.code
    }
  }

  /** A POST to a lead path is counted before anything else about it is checked (docs/specification.md §3). */
  const runRoute: Middleware = async (ctx) => {
    const { req, state } = ctx
    const { route } = endpointOf(ctx)
    if (route?.cors) state.corsFields = route.cors(req)
    const handler = route?.methods[req.method as keyof Route['methods']]
    if (route?.admit && handler && req.method === 'POST') {
      const admission = await route.admit(req)
      state.client = admission.client
      state.rateFields = admission.fields
      if (admission.refusal) throw admission.refusal
    }
    const path = requireTarget(req, state.path)
    if (!route) {
      const redirect = redirectToRoute(baseUrl, endpoints.get(path.slice(0, -1))?.route, ctx)
      if (!redirect) throw pathNotFound(req.method, path)
      state.answer = redirect
      return
    }
    if (!handler) throw methodNotAllowed(route.allow, req.method)
    state.answer = await handler(ctx)
  }

  const app = new Koa<RequestState>()
  // Koa also emits the error of a connection that the caller broke, which nobody needs to know.
  app.on('error', (error: unknown, { req, state }: Context) => {
    if (error !== req.socket.errored) onError(error, state.requestId)
  })
  app.use(answerRequest).use(renderProblems).use(runRoute)
  return app.callback()
}

const closing = ['Connection', 'close']
