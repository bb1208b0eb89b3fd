import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { beginRequest, stopParsing, watchParsing } from '../../ops/parser-guard.ts'
import { bodyMaxBytes } from '../body.ts'

/** How much callers may hold of the public listener at once (docs/specification.md §11). */
export const connectionBounds = {
  /** Connections. When the server is full, it closes the idle ones. */
  connections: 10_000,
  /** Connections of one client. */
  perClient: 100,
  /** Unanswered requests on one connection, and on all together. */
  unanswered: 32,
  totalUnanswered: 2_000,
  /** What one connection may send without a new request, in bytes. Node goes on parsing what follows a refused body. */
  unaskedBytes: 2_097_152,
  /** How long the next answer of a connection may take to be produced and read, in milliseconds. */
  answerMs: 60_000,
}

export type ConnectionBounds = typeof connectionBounds

/** Ends the head of a request (RFC 9112 §2.1). */
const emptyLine = '\r\n\r\n'
const isCapital = (byte = 0) => byte >= 65 && byte <= 90

/** Why a connection was refused or closed. */
export type ClosedFor = 'client_connections' | 'connections' | 'unanswered' | 'unread'

interface Connection {
  /** Requests whose answers have not been handed to the operating system: one is being handled, the others wait. */
  unanswered: number
  /** Bytes received when the newest request began. */
  beganAt: number
  waiting: ServerResponse[]
  /** When it stopped being idle, or the last answer was handed over (`performance.now`). */
  sinceMs: number
  newest: ServerResponse | undefined
  /** To be called when every request is answered. */
  whenAnswered: (() => void) | undefined
}

export interface Connections {
  /** The newest request of a connection, with its answer. */
  newest(socket: Socket): ServerResponse | undefined
  /** Calls the function when every request of the connection is answered. */
  whenAnswered(socket: Socket, act: () => void): void
}

export interface ConnectionOptions {
  bounds: Partial<ConnectionBounds>
  handle: RequestListener
  /** The client that a connection counts for. Undefined: none, the connection is exempt. */
  clientOf(address: string): string | undefined
  onClose(reason: ClosedFor): void
}

/**
 * Handles the requests of a server, those of one connection one after the other. Counts connections and unanswered
 * requests, and closes the connections that hold too many.
 */
export function serveConnections(server: Server, options: ConnectionOptions): Connections {
  const { handle, clientOf, onClose } = options
  const bounds = { ...connectionBounds, ...options.bounds }
  const all = new Map<Socket, Connection>()
  const perClient = new Map<string, number>()
  let total = 0

  server.maxConnections = bounds.connections
  server.on('drop', () => {
    onClose('connections')
    server.closeIdleConnections()
  })
  server.on('connection', (socket) => {
    const client = clientOf(socket.remoteAddress ?? '')
    if (client !== undefined) {
      const count = (perClient.get(client) ?? 0) + 1
      perClient.set(client, count)
      socket.once('close', () => leave(client))
      // Trusted proxies send one request at a time.
      watchParsing(socket, () => close(socket, 'unanswered'))
      socket.prependListener('data', inspect)
      if (count > bounds.perClient) {
        onClose('client_connections')
        socket.destroy()
        return
      }
    }
    all.set(socket, { unanswered: 0, beganAt: 0, waiting: [], sinceMs: 0, newest: undefined, whenAnswered: undefined })
    socket.once('close', () => forget(socket))
  })
  // Node's own timeout begins again with each byte that a caller reads.
  const closeSlowReaders = () => {
    const oldestMs = performance.now() - bounds.answerMs
    for (const [socket, { unanswered, sinceMs }] of all) {
      if (unanswered > 0 && sinceMs < oldestMs) close(socket, 'unread')
    }
  }
  setInterval(closeSlowReaders, bounds.answerMs / 4).unref()

  /**
   * Blanks a packet with more heads than the allowed unanswered requests before Node makes requests of it. `accept`
   * blanks one with bodies between its heads. A head begins after an empty line with a capital letter; JSON never has both.
   */
  function inspect(this: Socket, packet: Buffer): void {
    let heads = 1
    for (let at = packet.indexOf(emptyLine); at !== -1; at = packet.indexOf(emptyLine, at)) {
      at += emptyLine.length
      while (packet[at] === 13 || packet[at] === 10) at++
      if (isCapital(packet[at])) heads++
    }
    const unasked = this.bytesRead - (all.get(this)?.beganAt ?? 0)
    if (heads <= bounds.unanswered && unasked <= bounds.unaskedBytes) return
    packet.fill(0)
    close(this, 'unanswered')
  }

  function leave(client: string): void {
    const count = (perClient.get(client) ?? 0) - 1
    if (count > 0) perClient.set(client, count)
    else perClient.delete(client)
  }

  function close(socket: Socket, reason: ClosedFor): void {
    onClose(reason)
    forget(socket)
    socket.destroy()
  }

  function forget(socket: Socket): void {
    total -= all.get(socket)?.unanswered ?? 0
    all.delete(socket)
  }

  /** Never closes a connection with a single request, which may be a lead. The limit on connections bounds these. */
  function closeBusiest(): void {
    let busiest: Socket | undefined
    let most = 1
    for (const [socket, { unanswered }] of all) {
      if (unanswered > most) {
        busiest = socket
        most = unanswered
      }
    }
    if (busiest) close(busiest, 'unanswered')
  }

  function end(this: ServerResponse): void {
    const connection = all.get(this.req.socket)
    if (!connection) return
    total--
    connection.unanswered--
    connection.sinceMs = performance.now()
    const next = connection.waiting.shift()
    if (!next) connection.whenAnswered?.()
    // In another turn of the event loop, so that other connections are served in between.
    else setImmediate(() => all.has(next.req.socket) && handle(next.req, next))
  }

  function accept(request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }): void {
    const { socket } = request
    const connection = all.get(socket)
    if (!connection) {
      stopParsing()
      return
    }
    if (connection.unanswered >= bounds.unanswered) {
      close(socket, 'unanswered')
      return
    }
    total++
    connection.newest = response
    connection.beganAt = socket.bytesRead
    // The chunks of all requests that wait stay in memory.
    if (connection.unanswered === 0) beginRequest(socket)
    response.on('close', end)
    if (connection.unanswered++ > 0) {
      connection.waiting.push(response)
      if (total > bounds.totalUnanswered) closeBusiest()
      return
    }
    connection.sinceMs = performance.now()
    handle(request, response)
  }
  server.on('request', accept)
  // RFC 9110 §10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', accept)
  // A body that is too large is refused before it is sent. Without it, the connection cannot go on.
  server.on('checkContinue', (request, response) => {
    if (Number(request.headers['content-length']) > bodyMaxBytes) response.setHeader('Connection', 'close')
    else response.writeContinue()
    accept(request, response)
  })
  // Beyond `requestsPerConnection`, Node answers itself.
  server.on('dropRequest', stopParsing)

  return {
    newest: (socket) => all.get(socket)?.newest,
    whenAnswered(socket, act) {
      const connection = all.get(socket)
      if (connection && connection.unanswered > 0) connection.whenAnswered = act
      else act()
    },
  }
}
