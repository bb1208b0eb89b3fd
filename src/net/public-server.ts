import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { idleTimeoutMs } from './listen.ts'

export interface ParserErrorOptions {
  /** Returns the whole answer to something that is not a request, by the code of Node's error. */
  answer(code: string | undefined): string
  /** Makes reading the body of a request fail, so that its handler answers. */
  interrupt(request: IncomingMessage, code: string | undefined): void
}

interface PublicServerOptions {
  handle: RequestListener
  /** The client that a connection counts for, undefined for a trusted proxy. A reset connection has no address. */
  clientOf(address: string | undefined): string | undefined
  connectionsPerClient: number
  connectionsMax: number
  onClose(reason: 'client_connections' | 'connections'): void
  parserErrors: ParserErrorOptions
  bodyMaxBytes: number
  /** Time limits for a request's headers, starting with the connection, and for the whole request. */
  headersTimeoutMs: number
  requestTimeoutMs: number
}

/** The HTTP/1.1 server of the public listener. Every error is answered with a problem, even those of Node's parser. */
export function createPublicServer(options: PublicServerOptions): Server {
  const { handle, clientOf, connectionsPerClient, connectionsMax, onClose, parserErrors, bodyMaxBytes } = options
  const server = createServer({
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, options.headersTimeoutMs),
    maxHeaderSize: 16_384,
    // A missing Host is refused with a problem (request-target.ts).
    requireHostHeader: false,
    noDelay: true,
  })
  // How long a caller may stop reading its answer, in milliseconds.
  server.setTimeout(60_000)
  // Only the size of headers is limited: beyond a number of headers, Node drops the last ones, which the proxy added.
  server.maxHeadersCount = 0
  server.maxConnections = connectionsMax
  server.on('drop', () => {
    onClose('connections')
    server.closeIdleConnections()
  })

  const perClient = new Map<string, number>()
  server.on('connection', (socket) => {
    const client = clientOf(socket.remoteAddress)
    if (client === undefined) return
    const count = (perClient.get(client) ?? 0) + 1
    perClient.set(client, count)
    socket.once('close', () => {
      const left = (perClient.get(client) ?? 1) - 1
      if (left > 0) perClient.set(client, left)
      else perClient.delete(client)
    })
    if (count <= connectionsPerClient) return
    onClose('client_connections')
    socket.destroy()
  })

  const newest = new WeakMap<Duplex, ServerResponse>()
  function accept(request: IncomingMessage, response: ServerResponse): void {
    newest.set(request.socket, response)
    handle(request, response)
  }
  server.on('request', accept)
  // RFC 9110 §10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', accept)
  // A body that is too large is refused before it is sent. Node then closes the connection, because it never comes.
  server.on('checkContinue', (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) <= bodyMaxBytes) response.writeContinue()
    accept(request, response)
  })
  // Answers after the answers to earlier requests. A request whose head has arrived is answered by its own handler.
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    const response = newest.get(socket)
    const isIncomplete = response?.req.complete === false
    function end(): void {
      if (isIncomplete) return void (socket as Socket).destroySoon()
      if (!socket.writable) return
      socket.end(parserErrors.answer(code))
      // If the socket closed at once, a reset could overtake the answer.
      setTimeout(() => socket.destroy(), 1_000)
    }
    if (code === 'ECONNRESET') socket.destroy()
    else if (response && isIncomplete && !response.writableEnded) parserErrors.interrupt(response.req, code)
    else if (response && !response.writableFinished) response.once('close', end)
    else end()
  })
  return server
}
