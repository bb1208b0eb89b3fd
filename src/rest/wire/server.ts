import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { close, listen } from '../../ops/listen.ts'
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
    // A missing Host is refused with a problem (request-target.ts).
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
