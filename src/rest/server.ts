import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connections } from '../connection/connections.ts'
import { waitingForContinue } from './body.ts'
import type { createParserErrorHandler } from './parser-error.ts'

export interface PublicServerOptions {
  handle: RequestListener
  connections: Connections
  parserErrors: ReturnType<typeof createParserErrorHandler>
  /**
   * Time limits for the request's headers and for the whole request, in milliseconds. A connection may stay silent for
   * twice the latter.
   */
  headersTimeoutMs: number
  requestTimeoutMs: number
}

/** Keep-alive timeout in milliseconds. Longer than the 60 seconds for which load balancers reuse connections. */
const keepAliveTimeoutMs = 75_000
/**
 * Connections that may wait to be accepted (the system may allow fewer). With Node's default of 511, the kernel drops
 * the rest of a burst, and callers retry only after one second, then three.
 */
const acceptBacklog = 4_096
/** The maximum size of a request's headers. Larger ones get 431. */
const headerMaxBytes = 16_384

/**
 * The HTTP/1.1 server of the public listener. Body errors, timeouts and malformed input are all answered by the facade.
 */
export function createPublicServer(options: PublicServerOptions) {
  const { handle, connections, parserErrors, headersTimeoutMs, requestTimeoutMs } = options
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    maxHeaderSize: headerMaxBytes,
    // The facade itself refuses a missing Host, with a problem.
    requireHostHeader: false,
    noDelay: true,
  })
  // Only the size of the headers is limited. With a limit on their number, Node drops the last ones, among them the
  // proxy's.
  server.maxHeadersCount = 0
  // Bounds how long a caller may hold a connection without reading. A slow sender gets its 408 before this.
  server.timeout = 2 * requestTimeoutMs
  // A caller that half-closes the connection after its request still gets the answer (RFC 9112 §9.6). Not documented by
  // Node.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', connections.open)
  const accept = (req: IncomingMessage, res: ServerResponse) => {
    connections.begin(res)
    handle(req, res)
  }
  server.on('request', accept)
  server.on('checkContinue', (req, res) => {
    waitingForContinue.add(req)
    accept(req, res)
  })
  // RFC 9110 §10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', accept)
  server.on('connect', (req: IncomingMessage, stream: Duplex) => {
    // `stream` is the socket, or a stream around it while content follows. The latter has no other error listener.
    stream.on('error', () => {})
    parserErrors.onConnect(req.socket)
  })
  server.on('clientError', (error, socket) => parserErrors.onClientError(error, socket as Socket))

  return {
    listen: (port: number, host: string) => listen(server, port, host),
    /** Stops accepting, lets pending requests finish within `graceMs`, then closes the rest. */
    close: (graceMs: number) => close(server, graceMs),
  }
}

/** Starts listening. Resolves with the server's address. */
export function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: acceptBacklog }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** Closes a server: idle connections now, busy ones when they are done or after `graceMs`. */
export function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
