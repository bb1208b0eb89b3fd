import { randomUUIDv7 } from 'node:crypto'
import { type IncomingHttpHeaders, type RequestListener, STATUS_CODES } from 'node:http'
import Koa from 'koa'
import type { StoredFacts } from '../lead/submit.ts'
import { readTraceId } from '../net/client.ts'
import type { ParserErrorOptions } from '../net/public-server.ts'
import type { RenderProblem } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import { interruptBody } from './body.ts'
import { answerProblem, methodNotAllowed, pathNotFound, Refusal } from './problems.ts'
import { pathOf, requireTarget } from './request-target.ts'
import { type Context, type HeaderFields, type RequestState, type Route, setFields } from './routes.ts'

/** Facts about a request, for the log and the metrics. The only text of the caller is its trace id. */
export interface RequestReport extends Partial<StoredFacts> {
  requestId: string
  traceId?: string | undefined
  method: string
  /** One of our paths, or `unknown`; never a path that a caller wrote. */
  route: string
  status: number
  problemCode: ProblemCode | undefined
  seconds: number
}

interface RestAppOptions {
  baseUrl: string
  routes: readonly Route[]
  renderProblem: RenderProblem
  /** Whether an answer with this status gets `Connection: close`, so that its caller moves to another replica. */
  endsConnection(status: number): boolean
  onRequest(report: RequestReport, headers: IncomingHttpHeaders): void
  onError(error: unknown, requestId: string): void
}

function commonFields(baseUrl: string): HeaderFields {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
}

/**
 * Serves the public listener's requests: `serve` logs and counts each answer, `renderProblems` turns errors into
 * answers, and `runRoute` calls the route's handler.
 */
export function createRestApp(options: RestAppOptions): RequestListener {
  const { baseUrl, routes, renderProblem: render, endsConnection, onRequest, onError } = options
  const common = commonFields(baseUrl)
  const byPath = new Map(routes.map((route) => [route.path, route]))

  async function serve(ctx: Context): Promise<void> {
    const started = performance.now()
    const { req } = ctx
    const requestId = randomUUIDv7()
    const path = pathOf(req)
    const route = path === undefined ? undefined : byPath.get(path)
    ctx.state = { requestId, path, route, problemCode: undefined, stored: undefined }
    ctx.res.setHeader('X-Request-Id', requestId)
    setFields(ctx, common)
    await renderProblems(ctx)
    if (endsConnection(ctx.status)) ctx.set('Connection', 'close')
    const facts = {
      requestId,
      method: req.method as string,
      route: route?.path ?? 'unknown',
      status: ctx.status,
      problemCode: ctx.state.problemCode,
      seconds: (performance.now() - started) / 1000,
      traceId: readTraceId(req.headers),
      ...ctx.state.stored,
    }
    onRequest(facts, req.headers)
  }

  async function renderProblems(ctx: Context): Promise<void> {
    try {
      await runRoute(ctx)
    } catch (error) {
      interruptBody(ctx.req, error)
      const { requestId, route } = ctx.state
      const problem = answerProblem(error, { baseUrl, render, requestId, route, onError })
      ctx.state.problemCode = problem.code
      ctx.status = problem.status
      setFields(ctx, problem.fields)
      ctx.body = problem.body
    }
  }

  function runRoute(ctx: Context): void | Promise<void> {
    const { req, state } = ctx
    const { route } = state
    const handler = route?.methods[req.method as keyof Route['methods']]
    if (route) setFields(ctx, route.fields)
    if (route?.cors) setFields(ctx, route.cors(req))
    if (handler && route?.takesLeads && req.method === 'POST') return handler(ctx)
    const path = requireTarget(req, state.path)
    if (handler) return handler(ctx)
    if (route) throw methodNotAllowed(Object.keys(route.methods), req.method)
    const withoutSlash = path.endsWith('/') ? byPath.get(path.slice(0, -1)) : undefined
    if (!withoutSlash?.methods.GET || !(req.method === 'GET' || req.method === 'HEAD'))
      throw pathNotFound(req.method, path)
    ctx.status = 308
    ctx.set('Location', baseUrl + withoutSlash.path)
    ctx.body = ''
  }

  const app = new Koa<RequestState>()
  // Koa also emits the error of a connection that the caller broke, which is not worth a log line.
  app.on('error', (error: unknown, { req, state }: Context) => {
    if (error !== req.socket.errored) onError(error, state.requestId)
  })
  return app.use(serve).callback()
}

const codesByError: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The problems for what Node's parser refuses, by the error's code (docs/specification.md §2). */
export function createParserProblems(
  baseUrl: string,
  render: RenderProblem,
  onRefusal: (report: Omit<RequestReport, 'seconds'>) => void,
): ParserErrorOptions {
  const problemOf = (code = '') => new Refusal(codesByError[code] ?? 'bad_request', { fields: { Connection: 'close' } })

  return {
    answer(parserCode) {
      const requestId = randomUUIDv7()
      const { code, status, fields, body } = answerProblem(problemOf(parserCode), { baseUrl, render, requestId })
      onRefusal({ requestId, method: 'unknown', route: 'unknown', status, problemCode: code })
      const ownFields = {
        'X-Request-Id': requestId,
        Date: new Date().toUTCString(),
        'Content-Length': Buffer.byteLength(body),
      }
      const all = Object.entries({ ...commonFields(baseUrl), ...fields, ...ownFields })
      const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`
    },
    interrupt: (request, parserCode) => interruptBody(request, problemOf(parserCode)),
  }
}
