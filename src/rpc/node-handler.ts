import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { createByteBudget } from '../lead/byte-budget.ts'
import type { StartServerSpan } from '../trace.ts'
import { sendAnswer } from './answer.ts'
import { findBrowser } from './browsers.ts'
import { type Call, type CallSummary, callKey } from './call.ts'
import { capTimeout } from './deadline.ts'
import { createRefusals } from './http-refusal.ts'
import { readBody } from './request-body.ts'
import { createRoutes } from './routes.ts'

export type NodeRequest = IncomingMessage | Http2ServerRequest

/**
 * Serves one HTTP/1.1 or HTTP/2 request. `names` are the names in the caller's certificate; undefined without
 * certificates.
 */
export type NodeHandler = (
  request: NodeRequest,
  response: ServerResponse | Http2ServerResponse,
  names: readonly string[] | undefined,
) => void

export interface NodeHandlerOptions {
  handlers: readonly UniversalHandler[]
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  /** Whether only local host names are accepted: on a loopback address without certificates. */
  loopbackOnly: boolean
  /** Called once for each call when it has ended, also for unknown paths. */
  onCall: (call: CallSummary) => void
  /** Absent: no tracing. */
  trace?: StartServerSpan<CallSummary> | undefined
  /** How many bytes all callers together may leave unread. */
  unsentMaxBytes?: number | undefined
  /** Called with errors that handlers should have handled. */
  onError: (error: unknown, requestId: string) => void
}

/** Together with the buffers of the feed's followers, less than 32 MiB (docs/specification.md §11). */
const unsentDefaultBytes = 12 * 1_024 * 1_024

/**
 * Serves a Connect router's handlers on Node's HTTP servers. Replaces the adapter of `@connectrpc/connect-node`: here a
 * call gets its id before anything can refuse it, has a known outcome when it ends, and needs only one abort signal,
 * which fires only when the caller disconnects.
 */
export function createNodeHandler(options: NodeHandlerOptions): NodeHandler {
  const { baseUrl, loopbackOnly, unsentMaxBytes = unsentDefaultBytes, onCall, trace, onError } = options
  const unsent = createByteBudget(unsentMaxBytes)
  const findRoute = createRoutes(options.handlers)
  const refusals = createRefusals(baseUrl)

  return (request, response, names) => {
    const started = performance.now()
    const target = request.url ?? ''
    const { handler, isKnown } = findRoute(request.method ?? '', target, request.headers['content-type'])
    const call: Call = {
      requestId: randomUUIDv7(),
      peer: peerAddress(request),
      names,
      isKnown,
      caller: names?.[0],
      code: undefined,
    }
    const gone = new AbortController()
    const span = trace?.(request.headers)

    // Whatever breaks on the connection, the call is told through `close`.
    request.on('error', () => {})
    response.on('error', () => {})
    response.once('close', () => {
      if (!response.writableEnded) gone.abort(new ConnectError('the caller went away', Code.Canceled))
      const summary = {
        requestId: call.requestId,
        service: (isKnown && handler?.service.typeName) || 'unknown',
        method: (isKnown && handler?.method.name) || 'unknown',
        code: (response.writableEnded && call.code) || 'canceled',
        seconds: (performance.now() - started) / 1000,
        peer: call.peer,
        caller: call.caller,
        traceId: span?.traceId,
      }
      span?.end(summary)
      onCall(summary)
    })

    async function serve(): Promise<void> {
      const browser = findBrowser(request.headers, loopbackOnly)
      const answer = browser
        ? refusals.browser(call, browser)
        : ((await handler?.({
            httpVersion: request.httpVersion,
            method: request.method ?? '',
            // The runtime only reads the query of it.
            url: `http://localhost${target}`,
            header: readHeaders(request),
            body: readBody(request),
            signal: gone.signal,
            contextValues: createContextValues().set(callKey, call),
          })) ?? refusals.unknownPath(call))
      // An HTTP/2 stream stays open until its request has been read.
      request.resume()
      // Node's HTTP/2 responses have the methods of ServerResponse.
      const explained = refusals.explain(call, answer, handler)
      await sendAnswer(explained, response as ServerResponse, call.requestId, gone.signal, unsent)
    }
    // A stream's database reads are shared with other streams, so they do not belong to its trace.
    const serving = span && handler?.method.methodKind === 'unary' ? span.run(serve) : serve()
    serving.catch((error) => {
      onError(error, call.requestId)
      response.destroy()
    })
  }
}

function readHeaders(request: NodeRequest): Headers {
  const headers = new Headers()
  for (const name in request.headers) {
    const value = request.headers[name]
    if (value === undefined || name.startsWith(':')) continue
    headers.append(name, capTimeout(name, `${value}`))
  }
  return headers
}

/** Shortens an IPv4-mapped IPv6 address to the IPv4 address. */
function peerAddress(request: NodeRequest): string | undefined {
  return request.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '')
}
