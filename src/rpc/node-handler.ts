import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import { createAsyncIterable, type UniversalHandler } from '@connectrpc/connect/protocol'
import { createByteBudget } from '../lead/byte-budget.ts'
import { sendAnswer } from './answer.ts'
import { findBrowser } from './browsers.ts'
import { callKey } from './call.ts'
import { capTimeout } from './deadline.ts'
import { createRefusals } from './http-refusal.ts'
import type { OpenCall, OpenCallFn } from './open-call.ts'
import { type BodyBounds, type RequestStream, readBody } from './request-body.ts'
import { closeAnswered, requestTimeoutMs as requestDefaultMs } from './request-time.ts'
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
  openCall: OpenCallFn
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  /** Whether only local host names are accepted: on a loopback address without certificates. */
  loopbackOnly: boolean
  /** How many bytes all callers together may leave unread. */
  unsentMaxBytes?: number | undefined
  /** How long a request may take to arrive, in milliseconds. Absent: 30 seconds. */
  requestTimeoutMs?: number | undefined
  /** Called with errors that handlers should have handled. */
  onError: (error: unknown, requestId: string) => void
}

/** A call, and where its request comes from and its answer goes. */
export interface Exchange {
  open: OpenCall
  /** Undefined: the request uses no RPC protocol. */
  handler: UniversalHandler | undefined
  request: Pick<NodeRequest, 'httpVersion' | 'method' | 'url' | 'headers'>
  body: RequestStream
  /** The bytes of the body that have been read already. */
  received?: readonly Uint8Array[]
  response: ServerResponse | Http2ServerResponse
}

/** Together with the buffers of the feed's followers, less than 32 MiB (docs/specification.md §11). */
const unsentDefaultBytes = 12 * 1_024 * 1_024

/**
 * Serves a Connect router's handlers on Node's HTTP servers. Replaces the adapter of `@connectrpc/connect-node`: here a
 * call gets its id before anything can refuse it, has a known outcome when it ends, and needs only one abort signal,
 * which fires only when the caller disconnects.
 */
export function createNodeHandler(options: NodeHandlerOptions) {
  const { openCall, baseUrl, loopbackOnly, unsentMaxBytes = unsentDefaultBytes, onError } = options
  const { requestTimeoutMs = requestDefaultMs } = options
  const unsent = createByteBudget(unsentMaxBytes)
  const findRoute = createRoutes(options.handlers)
  const refusals = createRefusals(baseUrl)

  /** Serves a call that is open already. */
  function serve({ open, handler, request, body, received, response }: Exchange): void {
    const { call } = open
    const gone = new AbortController()

    // Whatever breaks on the connection, the call is told through `close`.
    body.on('error', () => {})
    response.on('error', () => {})
    response.once('close', () => {
      if (!response.writableEnded) gone.abort(new ConnectError('the caller went away', Code.Canceled))
      open.end(response.writableEnded)
    })

    function bounds(): BodyBounds {
      const isOneMessage = handler?.method.methodKind === 'unary' || handler?.method.methodKind === 'server_streaming'
      return { signal: call.signal, timeoutMs: isOneMessage ? requestTimeoutMs : undefined }
    }

    async function answer(): Promise<void> {
      const browser = findBrowser(request.headers, loopbackOnly)
      const answer = browser
        ? refusals.browser(call, browser)
        : ((await handler?.({
            httpVersion: request.httpVersion,
            method: request.method ?? '',
            // The runtime only reads the query of it.
            url: `http://localhost${request.url ?? ''}`,
            header: readHeaders(request),
            body: readBody(body, received, bounds),
            signal: gone.signal,
            contextValues: createContextValues().set(callKey, call),
          })) ?? refusals.unknownPath(call))
      // An HTTP/2 stream stays open until its request has been read.
      body.resume()
      // Node's HTTP/2 responses have the methods of ServerResponse.
      const explained = refusals.explain(call, answer, handler)
      // Node breaks the HTTP/2 stream if the answer to HEAD has content.
      const sent = request.method === 'HEAD' ? { ...explained, body: createAsyncIterable([]) } : explained
      await sendAnswer(sent, response as ServerResponse, call.requestId, gone.signal, unsent)
      if (response instanceof Http2ServerResponse && !response.stream.destroyed) {
        const timer = setTimeout(closeAnswered, requestTimeoutMs, response.stream)
        response.stream.once('close', () => clearTimeout(timer))
      }
    }
    const serving = answer()
    serving.catch((error) => {
      onError(error, call.requestId)
      response.destroy()
    })
  }

  const handle: NodeHandler = (request, response, names) => {
    const { headers } = request
    const { handler, isKnown } = findRoute(request.method ?? '', request.url ?? '', headers['content-type'])
    const open = openCall(headers, isKnown ? handler?.method : undefined, names)
    serve({ open, handler, request, body: request, response })
  }

  return { handle, serve }
}

function readHeaders(request: Pick<NodeRequest, 'headers'>): Headers {
  const headers = new Headers()
  for (const name in request.headers) {
    const value = request.headers[name]
    if (value === undefined || name.startsWith(':')) continue
    headers.append(name, capTimeout(name, `${value}`))
  }
  return headers
}
