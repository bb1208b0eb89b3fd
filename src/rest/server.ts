import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type ConnectionOptions, serveConnections } from './connections.ts'
import { createParserErrorHandler, type ParserErrorOptions } from './parser-error.ts'

export interface PublicServerOptions {
  connections: ConnectionOptions
  parserErrors: Omit<ParserErrorOptions, 'connections'>
  /** Time limits for a request's headers, on a new connection from its start, and for the whole request, in milliseconds. */
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
/** The last answer of a connection says `Connection: close`. */
const requestsPerConnection = 10_000

/** The HTTP/1.1 server of the public listener. Every error is answered with a problem, those of Node's parser too. */
export function createPublicServer(options: PublicServerOptions) {
  const { headersTimeoutMs, requestTimeoutMs } = options
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    maxHeaderSize: headerMaxBytes,
    // A missing Host is refused with a problem (target.ts).
    requireHostHeader: false,
    noDelay: true,
  })
  // No limit on the number of headers, only on their size: beyond a number, Node would drop those that the proxy added.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = requestsPerConnection
  const connections = serveConnections(server, options.connections)
  const onClientError = createParserErrorHandler({ ...options.parserErrors, connections })
  server.on('clientError', (error, socket) => onClientError(error, socket as Socket))

  return {
    listen: (port: number, host: string) => listen(server, port, host),
    /** Stops accepting, lets pending requests finish within `graceMs`, then closes the rest. */
    close: (graceMs: number) => close(server, graceMs),
  }
}

/** Starts listening. Resolves with the server's address. */
export async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  server.listen({ port, host, backlog: acceptBacklog })
  await once(server, 'listening')
  return server.address() as AddressInfo
}

/** Closes a server: idle connections now, busy ones when they are done or after `graceMs`. */
export async function close(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await server[Symbol.asyncDispose]()
  clearTimeout(timer)
}
