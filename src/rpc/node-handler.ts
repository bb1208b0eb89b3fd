import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import type { StartServerSpan } from '../trace.ts'
import { type Call, type CallSummary, callKey } from './call.ts'
import { readBody } from './request-body.ts'

type NodeRequest = IncomingMessage | Http2ServerRequest

/** Serves one request of either version of HTTP. */
export type NodeHandler = (request: NodeRequest, response: ServerResponse | Http2ServerResponse) => void

export interface NodeHandlerOptions {
  handlers: readonly UniversalHandler[]
  /** Hears of each call when it has ended, of those to unknown paths too. */
  onCall: (call: CallSummary) => void
  /** Left out: no traces. */
  trace?: StartServerSpan<CallSummary> | undefined
  /** Hears of what no handler should let through. */
  onError: (error: unknown, requestId: string) => void
}

/**
 * Serves a Connect router's handlers on Node's HTTP servers. It stands in place of the adapter of
 * `@connectrpc/connect-node`: here a call has an id before anything can refuse it and a known outcome when it ends, and
 * costs one abort signal, which fires only when the caller goes away.
 */
export function createNodeHandler({ handlers, onCall, trace, onError }: NodeHandlerOptions): NodeHandler {
  const routes = new Map(handlers.map((handler) => [handler.requestPath, handler]))

  return (request, response) => {
    const started = performance.now()
    const call: Call = { requestId: randomUUIDv7(), peer: peerAddress(request), code: undefined }
    const target = request.url ?? ''
    const handler = routes.get(pathOf(target))
    const gone = new AbortController()
    const span = trace?.(request.headers)

    response.once('close', () => {
      if (!response.writableEnded) gone.abort(new ConnectError('the caller went away', Code.Canceled))
      const summary = {
        requestId: call.requestId,
        service: handler?.service.typeName ?? 'unknown',
        method: handler?.method.name ?? 'unknown',
        code: (response.writableEnded && call.code) || 'canceled',
        seconds: (performance.now() - started) / 1000,
        peer: call.peer,
        traceId: span?.traceId,
      }
      span?.end(summary)
      onCall(summary)
    })

    async function serve(): Promise<void> {
      const answer = await handler?.({
        httpVersion: request.httpVersion,
        method: request.method ?? '',
        // The runtime reads nothing of it but the query.
        url: `http://localhost${target}`,
        header: readHeaders(request),
        body: readBody(request),
        signal: gone.signal,
        contextValues: createContextValues().set(callKey, call),
      })
      // A header on every answer, and no trailer: clients show both together as an error's metadata.
      const headers: Record<string, string> = { 'x-request-id': call.requestId }
      if (handler && answer?.status === 405) headers.allow = handler.allowedMethods.join(', ')
      // HTTP/2 responses of Node have the methods of ServerResponse.
      await write(answer ?? notFound, response as ServerResponse, headers, gone.signal)
      call.code ??= refusalCode(answer ?? notFound)
    }
    // What is done for a stream for as long as it lasts is shared with others, and no part of its trace.
    const serving = span && handler?.method.methodKind === 'unary' ? span.run(serve) : serve()
    serving.catch((error) => {
      onError(error, call.requestId)
      response.destroy()
    })
  }
}

const notFound: UniversalServerResponse = { status: 404 }

/** Sends an answer as its parts come, no faster than the caller reads them. Stops when the caller goes away. */
async function write(
  { status, header, body, trailer }: UniversalServerResponse,
  response: ServerResponse,
  headers: Record<string, string>,
  gone: AbortSignal,
): Promise<void> {
  header?.forEach((value, name) => {
    headers[name] = value
  })
  if (body === undefined) headers['content-length'] = '0'
  response.writeHead(status, headers)
  for await (const chunk of body ?? []) {
    if (gone.aborted) return
    if (!response.write(chunk)) await drained(response)
  }
  if (trailer) response.addTrailers(Object.fromEntries(trailer))
  response.end()
}

/** Waits until the response takes more, or is closed and needs no more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

function readHeaders(request: NodeRequest): Headers {
  const headers = new Headers()
  for (const name in request.headers) {
    const value = request.headers[name]
    if (value !== undefined && !name.startsWith(':')) headers.append(name, String(value))
  }
  return headers
}

/** An IPv4 address that the system shows as mapped into IPv6 is the IPv4 address. */
function peerAddress(request: NodeRequest): string | undefined {
  return request.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The code of a call that the runtime refused before any handler saw it. */
function refusalCode({ status, trailer }: UniversalServerResponse): string {
  const grpcStatus = trailer?.get('grpc-status')
  if (grpcStatus) return codeToString(Number(grpcStatus))
  return refusalCodes[status] ?? 'invalid_argument'
}

/** What the runtime's own refusals mean by their HTTP status; all others are requests that it cannot read. */
const refusalCodes: Record<number, string> = {
  404: 'unimplemented',
  429: 'resource_exhausted',
  500: 'internal',
  501: 'unimplemented',
}
