import type { IncomingHttpHeaders } from 'node:http'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextValues,
  type ServiceImpl,
} from '@connectrpc/connect'
import { compressionGzip, universalResponseToNodeResponse } from '@connectrpc/connect-node'
import { isLoopback } from '../config/internal.ts'
import type { Callers } from '../config/types.ts'
import { file_google_rpc_error_details } from '../gen/google/rpc/error_details_pb.ts'
import { Health } from '../gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'
import { file_leadintake_v1_problem } from '../gen/leadintake/v1/problem_pb.ts'
import type { Submit } from '../lead/submit.ts'
import type { NodeHandler, NodeRequest } from '../net/internal-listener.ts'
import {
  type BusinessNotice,
  createProblemRenderer,
  type ProblemOccurrence,
  problemMediaType,
} from '../problem/document.ts'
import { details, hints } from '../words/problems.ts'
import { createInterceptor } from './errors.ts'
import type { HealthService } from './health.ts'
import { createIntakeService } from './intake.ts'
import { createReflection } from './reflection.ts'
import { type CallSummary, callKey, createCall, messageMaxBytes, summarize, toUniversalRequest } from './request.ts'
import { createGate, openToAllMax, roleFor } from './roles.ts'

export interface RpcOptions {
  submit: Submit
  inbox: Partial<ServiceImpl<typeof LeadInboxService>>
  health: HealthService
  business: BusinessNotice | undefined
  callers: Callers | undefined
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  loopbackOnly: boolean
  /** How long a message may take to arrive, in milliseconds. */
  arrivalMs?: number
  /** Ends streams with its reason when it is aborted. Unary calls are short, and may finish. */
  shutdownSignal: AbortSignal
  onCall(call: CallSummary, isUnary: boolean, headers: IncomingHttpHeaders): void
  /** Called with errors that callers must not see. Must not log submitted values. */
  onError(error: unknown, requestId: string): void
}

/** Serves Connect, gRPC and gRPC-Web (docs/specification.md §8). */
export function createRpcHandler(options: RpcOptions): NodeHandler {
  const { baseUrl, submit, inbox, health, business, callers, onError } = options
  const router = createConnectRouter({
    readMaxBytes: messageMaxBytes,
    jsonOptions: { ignoreUnknownFields: false },
    // Only gzip, which gRPC libraries support. Brotli costs more than it saves on a local network.
    acceptCompression: [compressionGzip],
    // Receipts and problems are too small to be worth compressing; a page of leads is not.
    compressMinBytes: 8_192,
    requestGate: createGate(baseUrl, callers),
    interceptors: [createInterceptor(baseUrl, business, onError)],
  })
  const reflection = createReflection(
    [LeadIntakeService, LeadInboxService, Health, ServerReflection, ServerReflectionAlpha],
    [file_leadintake_v1_problem, file_google_rpc_error_details],
  )
  // Their messages contain only a name.
  const small = { readMaxBytes: 4_096 }
  router.service(LeadIntakeService, createIntakeService(submit))
  router.service(LeadInboxService, inbox)
  router.service(Health, health.service, small)
  router.service(ServerReflection, reflection, small)
  router.service(ServerReflectionAlpha, reflection as object, small)
  return serveRouter(router, options)
}

/**
 * Serves the methods of a router, and reports each call. `connectNodeAdapter` would use Connect's own request
 * (docs/decisions/0014-requests-of-connect.md), and write failed calls to `console.error`.
 */
function serveRouter(router: ConnectRouter, options: RpcOptions): NodeHandler {
  const { baseUrl, loopbackOnly, arrivalMs = 30_000, shutdownSignal, onCall, onError } = options
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]))
  const renderProblem = createProblemRenderer(baseUrl)
  const begin = createCallPacing()
  const takeOpenPlace = createOpenBound(openToAllMax)
  const takeRefusalPlace = createOpenBound(openToAllMax)

  return (request, response, names) => {
    const call = createCall(names)
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '')
    const isUnary = handler?.method.methodKind === 'unary'
    const callerGone = new AbortController()
    // After an error, `close` ends the call.
    for (const stream of [request, response]) stream.on('error', () => {})
    response.once('close', () => {
      if (!response.writableEnded) callerGone.abort(new ConnectError('the caller has left', Code.Canceled))
      call.isOver = true
      const code = response.writableEnded ? (call.code ?? 'refused') : 'canceled'
      onCall(summarize(call, handler?.method, code, request.headers), isUnary, request.headers)
    })
    const detail = findBrowser(request, loopbackOnly, names !== undefined)
    if (detail) return answerRefused('permission_denied', 403, { code: 'browser_refused', detail })
    if (!handler) return answerRefused('unimplemented', 404)
    if (roleFor(handler.method) === undefined && !takeOpenPlace(response)) return answerRefused('unavailable', 503)
    begin(response, () => void serve(handler).catch(fail))

    function fail(error: unknown): void {
      onError(error, call.requestId)
      response.destroy()
    }

    function answerRefused(code: string, status: number, problem?: ProblemOccurrence): void {
      call.code = code
      response.statusCode = status
      response.setHeader('x-request-id', call.requestId)
      // A caller that reads no answers could hold any number of those with content.
      if (problem && !takeRefusalPlace(response)) return void response.destroy()
      if (problem) response.setHeader('content-type', problemMediaType)
      response.end(problem ? renderProblem(call.requestId, problem) : '')
      request.resume()
    }

    async function serve(handler: ConnectRouter['handlers'][number]): Promise<void> {
      // Discards what a refused caller sends after that.
      if ('stream' in response) response.stream.once('wantTrailers', () => request.resume())
      const signal = isUnary ? callerGone.signal : AbortSignal.any([callerGone.signal, shutdownSignal])
      const context = createContextValues().set(callKey, call)
      const answer = await handler(toUniversalRequest(request, handler.method, signal, context, arrivalMs))
      if (answer.status === 415) {
        const words = isUnary ? {} : { detail: details.stream_types, hint: hints.stream_frames }
        return answerRefused('refused', 415, { code: 'content_type_refused', ...words })
      }
      if (call.code === 'permission_denied' && !takeRefusalPlace(response)) return void response.destroy()
      // Rejects if the caller goes away.
      universalResponseToNodeResponse(answer, response).catch(() => response.destroy())
    }
  }
}

/**
 * Returns the reason to refuse a request that may come from a browser. A web page can make its visitor's browser call
 * this machine, and with DNS rebinding (a host name that the page points at 127.0.0.1) even read the answer. Browsers
 * send `Origin` or `Sec-Fetch-Site`, or at least the page's host name. Only on loopback is another host name known to
 * be wrong. Elsewhere, a GET without a certificate is refused, because a page's own GET may have neither header.
 */
function findBrowser({ method, headers }: NodeRequest, loopbackOnly: boolean, hasCertificate: boolean) {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return details.of_browser
  if (method === 'GET' && !loopbackOnly && !hasCertificate) return details.get_of_page
  const hosts = [headers[':authority'], headers.host].filter((host) => host !== undefined)
  const isOwn = hosts.every((host) => isLoopback(String(host).replace(/:\d{1,5}$/, '')))
  return loopbackOnly && !isOwn ? details.foreign_host : undefined
}

interface Closable {
  once(event: 'close', listener: () => void): unknown
}

/** Bounds how many responses are open at once. Returns the function that takes a place for one, if any is left. */
function createOpenBound(max: number): (response: Closable) => boolean {
  let open = 0
  return (response) => {
    if (open === max) return false
    open++
    response.once('close', () => open--)
    return true
  }
}

/** How many calls may begin in one turn of the event loop. */
const begunMax = 100

/** Keeps turns of the event loop short. Returns the function that queues a call, or drops it if its caller leaves. */
function createCallPacing() {
  const waiting = new Set<() => void>()
  let isScheduled = false

  function schedule(): void {
    if (!isScheduled) setImmediate(beginSome)
    isScheduled = true
  }

  function beginSome(): void {
    isScheduled = false
    for (const begin of [...waiting.values().take(begunMax)]) {
      waiting.delete(begin)
      begin()
    }
    if (waiting.size > 0) schedule()
  }

  return (response: Closable, begin: () => void) => {
    schedule()
    waiting.add(begin)
    response.once('close', () => waiting.delete(begin))
  }
}
