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
  /** How long the header block, and the whole request, may take, in milliseconds. Silence lasts twice as long as the latter at most. */
  headersTimeoutMs: number
  requestTimeoutMs: number
}

/** How long an idle connection is kept: longer than the minute that balancers reuse theirs. */
const keepAliveTimeoutMs = 75_000
/**
 * Connections that may wait to be accepted; the system may allow fewer. Of a burst beyond Node's 511 the rest would be
 * dropped unheard, and tried again by the callers' systems after one second, then three.
 */
const acceptBacklog = 4_096
/** Requests of no more than this in their header block are read (431 beyond). */
const headerMaxBytes = 16_384

/** The HTTP/1.1 server of the public listener. Bodies, timeouts and malformed input all end in the facade's own answers. */
export function createPublicServer(options: PublicServerOptions) {
  const { handle, connections, parserErrors, headersTimeoutMs, requestTimeoutMs } = options
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    maxHeaderSize: headerMaxBytes,
    // The facade refuses a missing Host itself, as a problem.
    requireHostHeader: false,
    noDelay: true,
  })
  // The size of the header block is the bound. Node drops fields beyond a number of them, and with them those of a proxy.
  server.maxHeadersCount = 0
  // A caller that does not read its answers must not hold a connection for ever; one that only sends slowly gets its 408 first.
  server.timeout = 2 * requestTimeoutMs
  server.on('connection', connections.open)
  const accept = (req: IncomingMessage, res: ServerResponse) => {
    if (connections.begin(req, res)) handle(req, res)
  }
  server.on('request', accept)
  server.on('checkContinue', (req, res) => {
    waitingForContinue.add(req)
    accept(req, res)
  })
  // RFC 9110 §10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', accept)
  server.on('connect', (req: IncomingMessage, stream: Duplex) => {
    // The connection itself, or a stream around it while content follows: then an error of it has no other listener.
    stream.on('error', () => {})
    parserErrors.onConnect(req.socket)
  })
  server.on('clientError', (error, socket) => parserErrors.onClientError(error, socket as Socket))

  return {
    listen: (port: number, host: string) => listen(server, port, host),
    /** Stops accepting, lets what is in flight finish within `graceMs`, then closes what remains. */
    close: (graceMs: number) => close(server, graceMs),
  }
}

/** Resolves with the address that the server got. */
export function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: acceptBacklog }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** Closes a server: idle connections at once, busy ones when they are done or the grace is over. */
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
