import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createPeerCounter, type PeerCounter, type PeerLimits } from './peer-counter.ts'

/** What an HTTP/1.1 server holds at most for everyone together, and for one connection. */
export interface ConnectionBounds {
  /** Connections at the same time. Beyond it the longest idle one makes room. */
  connections: number
  /** Requests of one connection that wait for their answer. Beyond it no more are taken, and the connection is closed. */
  unanswered: number
  /** Bytes of answers that one connection has not read. */
  unreadBytes: number
  /** Bytes of answers that all connections together have not read. */
  totalUnreadBytes: number
}

/** The bounds of the public listener (docs/specification.md §11). */
export const connectionBounds: ConnectionBounds = {
  connections: 10_000,
  unanswered: 32,
  // More than 32 answers with the longest document.
  unreadBytes: 4 * 1_048_576,
  // The specification allows 64 MiB; the rest is for what Node adds to each answer.
  totalUnreadBytes: 48 * 1_048_576,
}

/** Why a connection was closed by the listener. */
export type ClosedFor = 'client_connections' | 'connections' | 'idle' | 'unanswered' | 'unread'

/** How much of a request is kept until its header block is complete: enough for a method and a path of ours. */
const requestLineMaxBytes = 300

/** How much a parser is given at once: the shortest requests fill it with twice as many as may be unanswered. */
const sliceBytes = 1_024

/** What is known of a connection. */
interface Connection {
  readonly socket: Socket
  /** Requests that have arrived and whose answers have not been handed to the system. */
  unanswered: number
  /** Whether it has sent requests beyond the bound, which get no answer: it closes after the last one that does. */
  isRefused: boolean
  unreadBytes: number
  /** The newest answer: a parser's error must not write into the middle of it. */
  newest: { request: IncomingMessage; response: ServerResponse } | undefined
  /** The first bytes of a request whose header block has not ended. */
  requestLine: string
}

export interface Connections {
  /** Takes a new connection into account, or closes it. Node's server must have seen it before. */
  open(socket: Socket): void
  /** Takes a request into account. False: it must be left alone, as its connection holds too many. */
  begin(request: IncomingMessage, response: ServerResponse): boolean
  /** Takes an answer into account that its caller may not have read. */
  hold(request: IncomingMessage, response: ServerResponse, bytes: number): void
  /** The newest request of a connection, if its answer is not yet sent. */
  answering(socket: Socket): { request: IncomingMessage; response: ServerResponse } | undefined
  /** The first bytes of a request whose header block has not ended; empty when none has begun. */
  requestLine(socket: Socket): string
  /** Gives Node's parser nothing more of a connection. */
  detach(socket: Socket): void
}

/**
 * The one place that bounds what connections hold: how many there are, of one client and of all; unanswered requests;
 * unread answers. `onClose` hears of each connection that a bound has closed.
 */
export function createConnections(options: {
  /** Left out: one address may hold them all. */
  peers?: PeerLimits | undefined
  bounds?: Partial<ConnectionBounds> | undefined
  onClose(reason: ClosedFor): void
}): Connections {
  const bounds = { ...connectionBounds, ...options.bounds }
  const peers: PeerCounter = createPeerCounter(
    options.peers ?? { maxPerClient: Number.POSITIVE_INFINITY, trustedProxies: [] },
  )
  const all = new Map<Socket, Connection>()
  /** Connections without an unanswered request, the longest idle first. */
  const idle = new Set<Connection>()
  /** Connections whose answers have not all been read. */
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
    // For as long as it exists: Node takes its own listener away before `connect` and `upgrade`, and a reset may come at any time.
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
      unanswered: 0,
      isRefused: false,
      unreadBytes: 0,
      newest: undefined,
      requestLine: '',
    }
    all.set(socket, connection)
    idle.add(connection)
    socket.once('close', () => forget(connection))
    feedInSlices(connection)
  }

  /**
   * Stands between a connection and the listener that feeds Node's parser. The parser makes every request of what it is
   * given, hundreds in one packet, before the first of them can be answered or the connection be closed.
   */
  function feedInSlices(connection: Connection): void {
    const { socket } = connection
    const feeders = socket.listeners('data') as ((chunk: Buffer) => void)[]
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += sliceBytes) {
        if (connection.isRefused || socket.destroyed) return
        // Node's listener has asked for a pause, and must not get more before its end.
        if (socket.isPaused()) return void socket.unshift(chunk.subarray(at))
        const slice = chunk.length <= sliceBytes ? chunk : chunk.subarray(at, at + sliceBytes)
        const missing = requestLineMaxBytes - connection.requestLine.length
        if (connection.unanswered === 0 && missing > 0) connection.requestLine += slice.toString('latin1', 0, missing)
        for (const feed of feeders) feed.call(socket, slice)
      }
    })
  }

  function begin(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = all.get(request.socket)
    // It has been closed while the rest of a packet is parsed.
    if (!connection) return false
    connection.requestLine = ''
    if (connection.unanswered >= bounds.unanswered || connection.isRefused) {
      ignore(connection)
      return false
    }
    connection.newest = { request, response }
    if (connection.unanswered++ === 0) idle.delete(connection)
    response.once('close', () => {
      connection.unanswered--
      if (connection.isRefused) {
        if (connection.unanswered === 0) connection.socket.destroySoon()
      } else if (connection.unanswered === 0 && all.has(connection.socket)) {
        idle.add(connection)
      }
    })
    return true
  }

  /** Lets the answers that are due go out before the connection closes; nothing more is read from it. */
  function ignore(connection: Connection): void {
    if (connection.isRefused) return
    connection.isRefused = true
    options.onClose('unanswered')
    if (connection.newest) connection.newest.response.shouldKeepAlive = false
  }

  function hold(request: IncomingMessage, response: ServerResponse, bytes: number): void {
    // The usual case: the system has taken it already.
    if (response.writableFinished) return
    const connection = all.get(request.socket)
    if (!connection) return
    connection.unreadBytes += bytes
    totalUnreadBytes += bytes
    unread.add(connection)
    response.once('close', () => {
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
      return newest && !newest.response.writableFinished ? newest : undefined
    },
    requestLine: (socket) => all.get(socket)?.requestLine ?? '',
    detach(socket) {
      const connection = all.get(socket)
      if (connection) connection.isRefused = true
    },
  }
}
