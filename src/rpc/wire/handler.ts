import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { constants, Http2ServerResponse, type ServerHttp2Stream } from 'node:http2'
import { Code, ConnectError, type ConnectRouter, type ContextValues, createContextValues } from '@connectrpc/connect'
import type { UniversalServerRequest } from '@connectrpc/connect/protocol'
import { universalResponseToNodeResponse } from '@connectrpc/connect-node'
import { readCallerIds } from '../../caller-ids.ts'
import { createProblemRenderer, problemMediaType } from '../../problem/document.ts'
import { type Call, type CallSummary, callKey } from '../call.ts'
import { findBrowser } from './browsers.ts'
import { type CallMemory, createCallMemory } from './call-memory.ts'
import { type NodeRequest, readArrivals, readWhole } from './request-body.ts'

/** Serves one request. `names` are those in the caller's certificate, if it has one. `disconnect` closes at once. */
export type NodeHandler = (
  request: NodeRequest,
  response: ServerResponse | Http2ServerResponse,
  names: readonly string[] | undefined,
  disconnect: () => void,
) => void

export interface HandlerOptions {
  router: ConnectRouter
  /** The largest message of a path, in bytes. */
  messageMaxBytes(path: string): number
  /** Whether calls of a path need a role. */
  needsRole(path: string): boolean
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  /** Whether only local host names are accepted: on a loopback address without certificates. */
  loopbackOnly: boolean
  callsMaxBytes?: number | undefined
  /** Called once for each call when it has ended, also for unknown paths. */
  onCall(call: CallSummary, isUnary: boolean, headers: IncomingHttpHeaders): void
  /** Called with errors that nobody expects. */
  onError(error: unknown, requestId: string): void
}

/** Connect's types of `write` and `writeHead` fit both kinds of response. */
type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1]
type Universal = Omit<UniversalServerRequest, 'body'>

/** What gRPC, gRPC-Web and Connect streams put before a message. */
const envelopeBytes = 5
/** How many bytes all unary calls and unfinished messages may take together. */
const callsMaxBytes = 32 * 1_048_576
/** The memory of a call besides its message, in bytes, while it waits for its caller. Includes headers. */
const waitingBytes = 65_536
/** The same while the service works on the call. */
const callBytes = 16_384

/** Open calls. Connect takes 60 KiB for each, also for one that was given up, until its stream closes. */
const openMax = 1_000
/** Open calls that need no role: health, reflection, unknown paths. */
const openToAllMax = 64
/** Calls that begin in one turn of the event loop, so that turns stay short. A call that is canceled earlier costs little. */
const begunMax = 100
/** How long a caller may take to read that its call is given up, in milliseconds. */
const resetMaxMs = 2_000

/** Serves the methods of a router, and reports each call. */
export function createHandler(options: HandlerOptions): NodeHandler {
  const { router, messageMaxBytes, needsRole, loopbackOnly, onCall, onError } = options
  const methods = new Map(router.handlers.map((handler) => [handler.requestPath, handler]))
  const takeMemory = createCallMemory(options.callsMaxBytes ?? callsMaxBytes)
  const renderProblem = createProblemRenderer(options.baseUrl)
  let open = 0
  let openToAll = 0
  /** The calls that have arrived and not begun. */
  const waiting = new Set<() => void>()

  /** Runs in each turn of the event loop in which calls wait. */
  function beginSome(): void {
    for (const begin of [...waiting.values().take(begunMax)]) {
      waiting.delete(begin)
      begin()
    }
    if (waiting.size > 0) setImmediate(beginSome)
  }

  return (request, response, names, disconnect) => {
    const started = performance.now()
    const path = request.url?.split('?', 1)[0] ?? ''
    const method = methods.get(path)
    const call: Call = { requestId: randomUUIDv7(), names, caller: names?.[0], code: undefined }
    // After an error, `close` ends the call.
    request.on('error', () => {})
    response.on('error', () => {})
    const isOpenToAll = !needsRole(path)
    if (open === openMax || (isOpenToAll && openToAll === openToAllMax)) {
      report('unavailable')
      request.resume()
      response.statusCode = 503
      response.end()
      return
    }
    open++
    if (isOpenToAll) openToAll++
    let left: AbortController | undefined
    let memory: CallMemory | undefined
    let givenUp = false
    const detail = findBrowser(request, loopbackOnly, names !== undefined)
    const begin = () => {
      left = new AbortController()
      memory = takeMemory(() => {
        givenUp = true
        cutOff(response, disconnect)
      })
      memory.wait(waitingBytes)
      response.once('finish', () => request.resume())
      // Node emits `finish` of an HTTP/2 response only when the stream has closed.
      if (response instanceof Http2ServerResponse) closeEarly(response.stream)
      if (detail !== undefined) {
        const problem = renderProblem({ code: 'browser_refused', detail, requestId: call.requestId })
        return answerRefusal('permission_denied', 403, problem, problemMediaType)
      }
      if (!method) return answerRefusal('unimplemented', 404)
      let universal: Universal
      try {
        universal = toUniversal(request, left.signal, createContextValues().set(callKey, call))
      } catch {
        return answerRefusal('invalid_argument', 400, 'The target or the authority of the request is not valid.')
      }
      serve(method, universal, memory).catch((error) => {
        onError(error, call.requestId)
        response.destroy()
      })
    }

    response.once('close', () => {
      open--
      if (isOpenToAll) openToAll--
      waiting.delete(begin)
      memory?.release()
      if (!response.writableEnded) left?.abort(new ConnectError('the caller has left', Code.Canceled))
      const ended = response.writableEnded ? (call.code ?? 'refused') : 'canceled'
      report(givenUp ? 'resource_exhausted' : ended)
    })
    // A refusal costs little, and what follows a browser's request may be no HTTP.
    if (detail !== undefined) return begin()
    if (waiting.size === 0) setImmediate(beginSome)
    waiting.add(begin)

    function report(code: string): void {
      const summary = {
        requestId: call.requestId,
        service: method?.service.typeName ?? 'unknown',
        method: method?.method.name ?? 'unknown',
        code,
        seconds: (performance.now() - started) / 1_000,
        caller: call.caller,
        ...readCallerIds(request.headers),
      }
      onCall(summary, method?.method.methodKind === 'unary', request.headers)
    }

    function answerRefusal(code: string, status: number, body = '', contentType = 'text/plain'): void {
      call.code = code
      response.statusCode = status
      response.setHeader('x-request-id', call.requestId)
      if (body !== '') response.setHeader('content-type', contentType)
      // Node breaks an HTTP/2 stream whose answer to HEAD has content.
      if (request.method === 'HEAD') response.end()
      else response.end(body)
    }

    async function serve(handler: NonNullable<typeof method>, universal: Universal, memory: CallMemory): Promise<void> {
      const isUnary = handler.method.methodKind === 'unary'
      const body = handler.method.methodKind === 'bidi_streaming' ? readArrivals(request) : readMessage()
      const answer = await handler({ ...universal, body })
      // A stream that goes on is bounded by its own limit; what is left of one that has ended counts.
      const isWhole = () => isUnary || call.code !== undefined
      const sent = answer.body ? { ...answer, body: countAnswer(answer.body, memory, isWhole) } : answer
      // Rejects when the caller goes away. Otherwise it never settles.
      universalResponseToNodeResponse(sent, response as NodeResponse).catch(() => response.destroy())

      async function* readMessage() {
        const onGrowth = (bytes: number) => memory.wait(waitingBytes + bytes)
        const message = await readWhole(request, messageMaxBytes(path) + envelopeBytes, onGrowth)
        memory.work(callBytes + message.length)
        if (message.length > 0) yield message
      }
    }
  }
}

/**
 * The request as Connect's handlers take it, without its body. Connect's own conversion aborts the signal of each call
 * that has ended, which costs 7 % of a gRPC call (docs/decisions/0014-requests-of-connect.md). Throws when the target or
 * the authority is not valid.
 */
function toUniversal(request: NodeRequest, signal: AbortSignal, contextValues: ContextValues): Universal {
  const { httpVersion, method = '', url = '', headers } = request
  const authority = 'authority' in request ? request.authority : headers.host
  if (!authority) throw new TypeError('no authority')
  const header = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':')) header.append(name, String(value))
  }
  return { httpVersion, method, url: new URL(url, `http://${authority}`).href, header, signal, contextValues }
}

/** Counts the bytes of a whole answer as memory of its call, until the call has ended. */
function countAnswer(body: AsyncIterable<Uint8Array>, memory: CallMemory, isWhole: () => boolean) {
  const chunks = body[Symbol.asyncIterator]()
  let bytes = 0
  const counted: AsyncIterator<Uint8Array> = {
    async next() {
      const chunk = await chunks.next()
      if (!chunk.done && isWhole()) {
        bytes += chunk.value.length
        memory.wait(waitingBytes + bytes)
      }
      return chunk
    },
    // Connect reports a failed write here. The caller has left, which is no error of the service.
    throw: (error) =>
      chunks.throw?.(new ConnectError('the caller has left', Code.Canceled, undefined, undefined, error)) ??
      Promise.reject(error),
    return: () => chunks.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  }
  return { [Symbol.asyncIterator]: () => counted }
}

/** Closes an HTTP/2 stream when its answer has been sent, even if the request is still arriving (RFC 9113 §8.1). */
function closeEarly(stream: ServerHttp2Stream): void {
  // The response sends its trailers, or the end of the stream, during this event.
  stream.once('wantTrailers', () => {
    setImmediate(() => {
      if (!stream.closed && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
    })
  })
}

/** Ends a call that is given up. If its caller does not even read the reset, ends the connection. */
function cutOff(response: ServerResponse | Http2ServerResponse, disconnect: () => void): void {
  if (!(response instanceof Http2ServerResponse)) return void disconnect()
  const { stream } = response
  stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  const timer = setTimeout(disconnect, resetMaxMs).unref()
  stream.once('close', () => clearTimeout(timer))
}
