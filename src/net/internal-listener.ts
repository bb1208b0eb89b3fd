import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { type TLSSocket, type TlsOptions, Server as TlsServer } from 'node:tls'
import { certificateNames } from './certificate-names.ts'
import { detectProtocol } from './detect-protocol.ts'
import { keepConnection, making } from './kept-connections.ts'
import { idleTimeoutMs as defaultIdleTimeoutMs, listen } from './listen.ts'

/** PEM texts. `ca` signs the client certificates. */
export interface Certificates {
  cert: string
  key: string
  ca: string
}

export type NodeRequest = IncomingMessage | Http2ServerRequest
export type NodeResponse = ServerResponse | Http2ServerResponse

/** Serves one request. `names` are those in the caller's certificate, if it has one. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, names: readonly string[] | undefined) => void

export interface InternalListenerOptions {
  handler: NodeHandler
  /** Absent: cleartext. */
  tls?: Certificates | undefined
  /** Time limit in milliseconds for a TLS handshake, and for the first bytes of a cleartext connection. */
  helloTimeoutMs?: number
  /** Time limit in milliseconds for an HTTP/1.1 request to arrive over TLS. A third of it is for its headers. */
  requestTimeoutMs?: number
  /** Concurrent connections. The callers are a few services with long-lived ones. */
  connectionsMax?: number
  /** How long a connection without a call stays open, in milliseconds. */
  idleTimeoutMs?: number
  /** After a change of the client CA: how long calls on older connections may go on, in milliseconds. */
  reconnectMs?: number
  /** Called for each failed TLS handshake, with the error code of Node or OpenSSL. */
  onRefusedHandshake?: (code: string, peer: string | undefined) => void
}

interface Connection {
  peer: string
  /** Over TLS, the encrypted one until the handshake has ended. */
  socket: Socket
  session?: ServerHttp2Session
  /** Those in the caller's certificate. Undefined in cleartext. */
  names: readonly string[] | undefined
  /** Open calls. */
  calls: number
  /** Begins anew when the last call ends. */
  idleTimer: NodeJS.Timeout
  /** Whether it closes when its calls have ended. */
  isLeaving: boolean
}

const headerMaxBytes = 16_384
/** How long a connection without calls may take to close, in milliseconds. Its caller may not even read. */
const leavingMs = 1_000

/** A stream of health or reflection may be silent for hours, so TCP keep-alive has to detect dead peers. */
const connectionOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

const http2Options = {
  settings: { maxConcurrentStreams: 500, maxHeaderListSize: headerMaxBytes },
  // By default 1,000, which cost more than calls.
  maxSessionInvalidFrames: 10,
  // Node rejects a call beyond these 500 that arrives in one packet with the resets of others. When deadlines pass in a
  // stall, such calls are hundreds, and by default the 101st ends the connection with all that is open on it.
  maxSessionRejectedStreams: 10_000,
}

const tlsOptions: TlsOptions = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: true,
  ALPNProtocols: ['h2', 'http/1.1'],
}

/** Identifies a connection: the socket in a TLS connection has the same peer as the one that carries it. */
const peerOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>) =>
  `${remoteAddress} ${remotePort}`

/**
 * The internal listener: HTTP/1.1 and HTTP/2 on one port. In cleartext, the first bytes tell the protocol (prior
 * knowledge, no upgrade). With TLS, ALPN tells it, and every caller must present a certificate signed by `ca`.
 */
export function createInternalListener(options: InternalListenerOptions) {
  const {
    handler,
    helloTimeoutMs = 5_000,
    requestTimeoutMs = 30_000,
    reconnectMs = 60_000,
    idleTimeoutMs = defaultIdleTimeoutMs,
    connectionsMax = 32,
    onRefusedHandshake,
  } = options
  let { tls } = options
  /** Open connections by their peer, the one without a call for the longest time first. */
  const connections = new Map<string, Connection>()
  /** The connection of what serves its requests. */
  const owners = new WeakMap<Socket | ServerHttp2Session, Connection>()
  /** The connection that Node makes an HTTP/2 session of. */
  let opening: Connection | undefined

  const http1Options = {
    maxHeaderSize: headerMaxBytes,
    keepAliveTimeout: idleTimeoutMs,
    headersTimeout: requestTimeoutMs / 3,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 6,
  }
  const acceptor = tls ? createTlsAcceptor(tls) : createCleartextAcceptor()

  function createTlsAcceptor(tls: Certificates) {
    const options = { ...connectionOptions, ...tlsOptions, ...tls, ...http2Options, http1Options }
    const server = createSecureServer({ ...options, handshakeTimeout: helloTimeoutMs, allowHTTP1: true }, handle)
    server.on('connection', accept)
    server.on('session', openSession)
    // Node's own listener, which makes the HTTP/2 session, runs between these two.
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => {})
      opening = connections.get(peerOf(socket))
      if (opening) {
        opening.socket = socket
        opening.names = certificateNames(socket.getPeerX509Certificate())
        owners.set(socket, opening)
      }
      making.enable()
    })
    server.on('secureConnection', () => making.disable())
    // Node leaves the connection open after a failed or missing handshake.
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      onRefusedHandshake?.(`${socket.authorizationError || error.code || error.name}`, socket.remoteAddress)
      socket.destroy()
    })
    return server
  }

  /** The HTTP/1.1 server does not listen itself, so Node's time limits for headers and requests do not apply. */
  function createCleartextAcceptor() {
    const http1 = createHttp1Server(http1Options, handle)
    const http2 = createHttp2Server(http2Options, handle)
    http2.on('session', openSession)
    return createTcpServer(connectionOptions, (socket) => {
      const connection = accept(socket)
      detectProtocol(socket, helloTimeoutMs, (protocol) => {
        // A session created on a broken connection would never emit `close`.
        if (socket.destroyed || connection.isLeaving) return void socket.destroy()
        opening = connection
        making.enable()
        ;(protocol === 'http2' ? http2 : http1).emit('connection', socket)
        making.disable()
      })
    })
  }

  /** Counts a connection. When there are too many, one without a call gives way, or else this one. */
  function accept(socket: Socket): Connection {
    // A broken connection aborts the signals of its calls. Nobody needs to know its error.
    socket.on('error', () => {})
    const peer = peerOf(socket)
    const idleTimer = setTimeout(() => connection.calls === 0 && leave(connection), idleTimeoutMs).unref()
    const connection: Connection = { peer, socket, names: tls && [], calls: 0, idleTimer, isLeaving: false }
    const staying = [...connections.values()].filter(({ isLeaving }) => !isLeaving)
    if (staying.length >= connectionsMax) leave(staying.find(({ calls }) => calls === 0) ?? connection)
    connections.set(peer, connection)
    owners.set(socket, connection)
    socket.once('close', () => {
      clearTimeout(idleTimer)
      if (connections.get(peer) === connection) connections.delete(peer)
    })
    return connection
  }

  function openSession(session: ServerHttp2Session): void {
    keepConnection(session)
    session.on('error', () => {})
    if (opening) {
      opening.session = session
      owners.set(session, opening)
    } else session.destroy()
  }

  /** Asks the caller to open another connection (GOAWAY, or the end of this one). Its calls go on. */
  function leave(connection: Connection): void {
    connection.isLeaving = true
    // The GOAWAY frame names the last accepted call, so callers know that later ones are safe to retry.
    if (connection.session) connection.session.close()
    else if (connection.calls === 0) connection.socket.destroySoon()
    setTimeout(() => connection.calls === 0 && connection.socket.destroy(), leavingMs).unref()
  }

  function handle(request: NodeRequest, response: NodeResponse): void {
    // If the connection has broken since the call arrived, its session is gone, and the names of the caller with it.
    const owner = 'stream' in request ? (request.stream.session as ServerHttp2Session | undefined) : request.socket
    const connection = owner && owners.get(owner)
    if (connection) {
      connection.calls++
      response.once('close', () => endCall(connection))
    }
    handler(request, response, connection ? connection.names : tls && [])
  }

  function endCall(connection: Connection): void {
    const { peer, socket, session, idleTimer, isLeaving } = connection
    if (--connection.calls > 0 || socket.destroyed) return
    if (isLeaving && !session) socket.destroySoon()
    idleTimer.refresh()
    connections.delete(peer)
    connections.set(peer, connection)
  }

  /** Asks the callers of all open connections to reconnect. Closes what is left after `graceMs`. */
  function retire(graceMs: number): NodeJS.Timeout {
    const old = [...connections.values()]
    for (const connection of old) leave(connection)
    return setTimeout(() => {
      for (const { socket } of old) socket.destroy()
    }, graceMs)
  }

  return {
    listen: (port: number, host: string) => listen(acceptor, port, host),
    /**
     * Uses new certificates for new connections. If the client CA has changed, asks the callers of open connections to
     * reconnect, and closes what is left after `reconnectMs`. Throws when the listener was created without TLS.
     */
    renew(fresh: Certificates): void {
      if (!(acceptor instanceof TlsServer)) throw new TypeError('the listener was made without TLS')
      acceptor.setSecureContext({ ...tlsOptions, ...fresh })
      const isNewAuthority = fresh.ca !== tls?.ca
      tls = fresh
      if (isNewAuthority) retire(reconnectMs).unref()
    },
    /**
     * Stops accepting connections, tells callers to reconnect elsewhere, and lets calls finish for at most `graceMs`. Then
     * destroys what is left. Resolves when every connection is closed.
     */
    async close(graceMs: number): Promise<void> {
      const closed = new Promise<void>((resolve) => acceptor.close(() => resolve()))
      const deadline = retire(graceMs)
      await closed
      clearTimeout(deadline)
    },
  }
}
