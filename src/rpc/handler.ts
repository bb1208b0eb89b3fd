import type { IncomingHttpHeaders } from 'node:http'
import { Code, ConnectError, type ConnectRouter, createContextValues } from '@connectrpc/connect'
import { universalResponseToNodeResponse } from '@connectrpc/connect-node'
import type { NodeHandler } from '../net/internal-listener.ts'
import { createProblemRenderer, type ProblemOccurrence, problemMediaType } from '../problem/document.ts'
import { situations } from '../words/problems.ts'
import { findBrowser } from './browsers.ts'
import { type CallSummary, callKey, createCall, summarize } from './call.ts'
import { createCallPacing, createOpenBound } from './call-pacing.ts'
import { toUniversal } from './request.ts'
import { openToAllMax, roleFor } from './roles.ts'

export interface HandlerOptions {
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  /** Whether only local host names are accepted: on a loopback address without certificates. */
  loopbackOnly: boolean
  /** How long a message may take to arrive. */
  arrivalMs?: number
  /** Ends streams with its reason when it is aborted. Unary calls are short, and may finish. */
  shutdownSignal: AbortSignal
  /** Called when a call has ended, even for an unknown path. */
  onCall(call: CallSummary, isUnary: boolean, headers: IncomingHttpHeaders): void
  /** Called with errors that callers must not see. Must not log submitted values. */
  onError(error: unknown, requestId: string): void
}

/**
 * Serves the methods of a router, and reports each call. Not `connectNodeAdapter`, which takes part of a canceled
 * message for all of it, and writes failed calls to `console.error` (docs/decisions/0014-requests-of-connect.md).
 */
export function createHandler(router: ConnectRouter, options: HandlerOptions): NodeHandler {
  const { baseUrl, loopbackOnly, arrivalMs = 30_000, shutdownSignal, onCall, onError } = options
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]))
  const renderProblem = createProblemRenderer(baseUrl)
  const begin = createCallPacing()
  const mayOpen = createOpenBound(openToAllMax)
  const mayRefuse = createOpenBound(openToAllMax)

  return (request, response, names) => {
    const call = createCall(names)
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '')
    const isUnary = handler?.method.methodKind === 'unary'
    const left = new AbortController()
    // After an error, `close` ends the call.
    for (const stream of [request, response]) stream.on('error', () => {})
    response.once('close', () => {
      if (!response.writableEnded) left.abort(new ConnectError('the caller has left', Code.Canceled))
      call.isOver = true
      const code = response.writableEnded ? (call.code ?? 'refused') : 'canceled'
      onCall(summarize(call, handler?.method, code, request.headers), isUnary, request.headers)
    })
    const detail = findBrowser(request, loopbackOnly, names !== undefined)
    if (detail) return refuse('permission_denied', 403, { code: 'browser_refused', detail })
    if (!handler) return refuse('unimplemented', 404)
    if (roleFor(handler.method) === undefined && !mayOpen(response)) return refuse('unavailable', 503)
    begin(response, () => void serve(handler).catch(fail))

    function fail(error: unknown): void {
      onError(error, call.requestId)
      response.destroy()
    }

    function refuse(code: string, status: number, problem?: Omit<ProblemOccurrence, 'requestId'>): void {
      call.code = code
      response.statusCode = status
      response.setHeader('x-request-id', call.requestId)
      // A caller that reads no answers could hold any number of those with content.
      if (problem && !mayRefuse(response)) return void response.destroy()
      if (problem) response.setHeader('content-type', problemMediaType)
      response.end(problem ? renderProblem({ ...problem, requestId: call.requestId }) : '')
      request.resume()
    }

    async function serve(handler: ConnectRouter['handlers'][number]): Promise<void> {
      // Discards what a refused caller goes on to send.
      if ('stream' in response) response.stream.once('wantTrailers', () => request.resume())
      const signal = isUnary ? left.signal : AbortSignal.any([left.signal, shutdownSignal])
      const context = createContextValues().set(callKey, call)
      const answer = await handler(toUniversal(request, handler.method, signal, context, arrivalMs))
      if (answer.status === 415) {
        const words = isUnary ? {} : { detail: situations.stream_types, hint: situations.stream_frames }
        return refuse('refused', 415, { code: 'content_type_refused', ...words })
      }
      if (call.code === 'permission_denied' && !mayRefuse(response)) return void response.destroy()
      // Rejects if the caller goes away.
      universalResponseToNodeResponse(answer, response).catch(() => response.destroy())
    }
  }
}
