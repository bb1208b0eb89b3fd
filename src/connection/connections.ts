import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type WatchedParser, watchParser } from './parser.ts'
import { createPeerCounter, type PeerCounter, type PeerLimits } from './peer-counter.ts'

/** Limits of an HTTP/1.1 server, in total and per connection. */
export interface ConnectionBounds {
  /** Concurrent connections. Beyond this, the connection that has been idle the longest is closed. */
  connections: number
  /** Unanswered requests on one connection. Beyond this, no more are accepted and the connection is closed. */
  unanswered: number
  /** Unread bytes of answers on one connection. */
  unreadBytes: number
  /** Unread bytes of answers on all connections together. */
  totalUnreadBytes: number
}

/** The limits of the public listener (docs/specification.md §11). */
export const connectionBounds: ConnectionBounds = {
  connections: 10_000,
  unanswered: 32,
  // More than 32 answers with the longest document.
  unreadBytes: 4 * 1_048_576,
  // The specification allows 64 MiB. The difference is for Node's overhead per answer.
  totalUnreadBytes: 48 * 1_048_576,
}

/** Why the listener closed a connection. */
export type ClosedFor = 'client_connections' | 'connections' | 'idle' | 'unanswered' | 'unread'

/** The state of one connection. */
interface Connection {
  readonly socket: Socket
  readonly parser: WatchedParser
  /** Requests that have arrived and whose answers are not yet handed to the operating system. */
  unanswered: number
  /** Whether it exceeded the limit of unanswered requests. It closes after its last answered request. */
  isRefused: boolean
  unreadBytes: number
  /** The newest answer. A parser error must not write into the middle of it. */
  newest: ServerResponse | undefined
}

export interface Connections {
  /** Registers a new connection, or closes it. Call this after Node's own `connection` listener. */
  open(socket: Socket): void
  /** Registers a request that will be answered. */
  begin(response: ServerResponse): void
  /** Registers an answer that the caller may not have read yet. */
  hold(response: ServerResponse, bytes: number): void
  /** The newest answer of a connection, if it has not been sent. */
  answering(socket: Socket): ServerResponse | undefined
  /** The first bytes of a request whose head is incomplete. Empty: none has begun. */
  requestLine(socket: Socket): string
  /** Stops passing input of a connection to Node's parser. The connection closes after its pending answers. */
  detach(socket: Socket): void
}

/**
 * Enforces all limits on connections: their number, per client and in total; unanswered requests; unread answers.
 * `onClose` is called for each connection that a limit has closed.
 */
export function createConnections(options: {
  /** Absent: no limit per address. */
  peers?: PeerLimits | undefined
  bounds?: Partial<ConnectionBounds> | undefined
  onClose(reason: ClosedFor): void
}): Connections {
  const bounds = { ...connectionBounds, ...options.bounds }
  const peers: PeerCounter = createPeerCounter(
    options.peers ?? { maxPerClient: Number.POSITIVE_INFINITY, trustedProxies: [] },
  )
  const all = new Map<Socket, Connection>()
  /** Connections without unanswered requests, the longest idle first. */
  const idle = new Set<Connection>()
  /** Connections with unread answers. */
  const unread = new Set<Connection>()
  let totalUnreadBytes = 0

  function close(connection: Connection, reason: ClosedFor): void {
    options.onClose(reason)
    forget(connection)
    connection.socket.destroy()
  }

  function forget(connection: Connection): void {
    if (!all.delete(connection.socket)) return
    idle.delete(connection)
    unread.delete(connection)
    totalUnreadBytes -= connection.unreadBytes
    connection.unreadBytes = 0
  }

  function open(socket: Socket): void {
    // Never removed: Node removes its own listener before `connect` and `upgrade`, and a reset can come at any time.
    socket.on('error', () => {})
    const leave = peers.enter(socket.remoteAddress)
    if (!leave) {
      options.onClose('client_connections')
      socket.destroy()
      return
    }
    socket.once('close', leave)
    if (all.size >= bounds.connections) {
      const [longestIdle] = idle
      if (!longestIdle) {
        options.onClose('connections')
        socket.destroy()
        return
      }
      close(longestIdle, 'idle')
    }
    const connection: Connection = {
      socket,
      parser: watchParser(socket, () => mayTake(connection)),
      unanswered: 0,
      isRefused: false,
      unreadBytes: 0,
      newest: undefined,
    }
    all.set(socket, connection)
    idle.add(connection)
    socket.once('close', () => forget(connection))
  }

  function mayTake(connection: Connection): boolean {
    // It may have been closed while the rest of a packet was being parsed.
    if (!all.has(connection.socket) || connection.isRefused) return false
    if (connection.unanswered < bounds.unanswered) return true
    ignore(connection)
    return false
  }

  function begin(response: ServerResponse): void {
    const connection = all.get(response.req.socket)
    if (!connection) return
    connection.newest = response
    if (connection.unanswered++ === 0) idle.delete(connection)
    // One function for all, and `on` rather than `once`: this runs for every request.
    response.on('close', end)
  }

  function end(this: ServerResponse): void {
    const connection = all.get(this.req.socket)
    if (!connection) return
    connection.unanswered--
    if (connection.unanswered > 0) return
    if (connection.isRefused) connection.socket.destroySoon()
    else idle.add(connection)
  }

  /** Lets pending answers finish before the connection closes. Nothing more is read from it. */
  function ignore(connection: Connection): void {
    connection.isRefused = true
    options.onClose('unanswered')
    if (connection.newest) connection.newest.shouldKeepAlive = false
  }

  function hold(response: ServerResponse, bytes: number): void {
    // The usual case: the operating system has already taken it.
    if (response.writableFinished || (response.writableEnded && response.socket?.writableLength === 0)) return
    const connection = all.get(response.req.socket)
    if (!connection) return
    connection.unreadBytes += bytes
    totalUnreadBytes += bytes
    unread.add(connection)
    response.on('close', () => {
      if (!all.has(connection.socket)) return
      connection.unreadBytes -= bytes
      totalUnreadBytes -= bytes
      if (connection.unreadBytes === 0) unread.delete(connection)
    })
    if (connection.unreadBytes > bounds.unreadBytes) close(connection, 'unread')
    while (totalUnreadBytes > bounds.totalUnreadBytes) close(mostUnread(), 'unread')
  }

  function mostUnread(): Connection {
    let most: Connection | undefined
    for (const connection of unread) if (!most || connection.unreadBytes > most.unreadBytes) most = connection
    return most as Connection
  }

  return {
    open,
    begin,
    hold,
    answering(socket) {
      const newest = all.get(socket)?.newest
      return newest && !newest.writableFinished ? newest : undefined
    },
    requestLine: (socket) => all.get(socket)?.parser.start ?? '',
    detach(socket) {
      const connection = all.get(socket)
      if (!connection || connection.isRefused) return
      connection.isRefused = true
      connection.parser.detach()
    },
  }
}
