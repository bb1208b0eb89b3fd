import { once } from 'node:events'
import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http'
import * as http2 from 'node:http2'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions, Server as TlsServer } from 'node:tls'
import { idleTimeoutMs } from './listen.ts'
import { type Certificates, certificateNames } from './tls-files.ts'

export type NodeRequest = IncomingMessage | http2.Http2ServerRequest
export type NodeResponse = ServerResponse | http2.Http2ServerResponse
/** `names` are those in the caller's certificate, undefined in cleartext. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, names: readonly string[] | undefined) => void

export interface InternalListenerOptions {
  handler: NodeHandler
  /** Without it, the listener speaks cleartext. */
  tls?: Certificates | undefined
  /** Time limit in milliseconds for a TLS handshake, and for the first bytes of a cleartext connection. */
  helloTimeoutMs?: number
  /** How many connections may be open. The callers are a few services with long-lived ones. */
  connectionsMax?: number
  /** After a change of the client CA: how long calls on older connections may go on, in milliseconds. */
  reconnectMs?: number
  /** Called for each failed TLS handshake, with the error code of Node or OpenSSL. */
  onRefusedHandshake?: (code: string, peer: string | undefined) => void
}

interface Connection {
  peer: string
  /** Over TLS, the encrypted socket until the handshake has ended. */
  socket: Socket
  session?: http2.ServerHttp2Session
  names: readonly string[] | undefined
  calls: number
  /** Whether the connection closes when its calls have ended. */
  isLeaving: boolean
}

/** A stream of health or reflection may be silent for hours, so TCP keep-alive has to detect dead peers. */
const connectionOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

const http2Options = {
  settings: { maxConcurrentStreams: 500, maxHeaderListSize: 16_384 },
  // Node counts a call beyond the 500 as rejected even if the resets of others arrive in the same packet. After a
  // stall, there may be hundreds of those, and by default the 101st ends the connection with everything open on it.
  maxSessionRejectedStreams: 10_000,
}

const clientCertificate = { requestCert: true, rejectUnauthorized: true }
const tlsOptions: TlsOptions = { minVersion: 'TLSv1.2', ALPNProtocols: ['h2', 'http/1.1'], ...clientCertificate }

/** Identifies a connection: the socket in a TLS connection has the same peer as the one that carries it. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** Serves HTTP/1.1 and HTTP/2 on one port. With TLS, ALPN tells which, and callers need a certificate from `ca`. */
export function createInternalListener(options: InternalListenerOptions) {
  const { handler, helloTimeoutMs = 5_000, reconnectMs = 60_000, connectionsMax = 32, onRefusedHandshake } = options
  let { tls } = options
  /** The open connections, the one without a call for the longest time first. */
  const connections = new Set<Connection>()
  const owners = new WeakMap<Socket | http2.Http2Session, Connection>()
  const http1Server = createHttp1Server({ maxHeaderSize: 16_384, keepAliveTimeout: idleTimeoutMs }, handle)
  const http2Server = http2.createServer(http2Options, handle)
  const server: Server = tls
    ? createTlsServer({ ...connectionOptions, ...tlsOptions, ...tls, handshakeTimeout: helloTimeoutMs })
    : createTcpServer(connectionOptions)
  server.on('connection', (socket) => {
    const connection = accept(socket)
    if (!tls) detectProtocol(socket, helloTimeoutMs, (isHttp2) => serve(connection, isHttp2))
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const connection = [...connections].find(({ peer }) => peer === peerOf(socket))
    if (!connection) return void socket.destroy()
    socket.on('error', () => {})
    connection.socket = socket
    connection.names = certificateNames(socket.getPeerX509Certificate())
    serve(connection, socket.alpnProtocol === 'h2')
  })
  // Node leaves the connection open after a failed or missing handshake.
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    onRefusedHandshake?.(`${socket.authorizationError || error.code || error.name}`, socket.remoteAddress)
    socket.destroy()
  })

  /** Registers a connection. If there are too many, one without a call is closed, or else this one. */
  function accept(socket: Socket): Connection {
    // `close` follows, and ends its calls.
    socket.on('error', () => {})
    const connection: Connection = { peer: peerOf(socket), socket, names: tls && [], calls: 0, isLeaving: false }
    const staying = [...connections].filter(({ isLeaving }) => !isLeaving)
    if (staying.length >= connectionsMax) leave(staying.find(({ calls }) => calls === 0) ?? connection)
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
    return connection
  }

  function serve(connection: Connection, isHttp2: boolean): void {
    const { socket, isLeaving } = connection
    // A session created on a broken connection would never emit `close`.
    if (socket.destroyed || isLeaving) return void socket.destroy()
    owners.set(socket, connection)
    if (!isHttp2) return void http1Server.emit('connection', socket)
    const open = (session: http2.ServerHttp2Session) => {
      session.on('error', () => {})
      connection.session = session
      owners.set(session, connection)
    }
    http2Server.once('session', open)
    http2Server.emit('connection', socket)
    http2Server.off('session', open)
  }

  function handle(request: NodeRequest, response: NodeResponse): void {
    // If the connection broke after the call arrived, its session is gone, and with it the caller's names.
    const owner = 'stream' in request ? request.stream.session : request.socket
    const connection = owner && owners.get(owner)
    if (connection) {
      connection.calls++
      response.once('close', () => endCall(connection))
    }
    handler(request, response, connection ? connection.names : tls && [])
  }

  function endCall(connection: Connection): void {
    if (--connection.calls > 0 || !connections.delete(connection)) return
    connections.add(connection)
    if (connection.isLeaving) leave(connection)
  }

  /** Asks the caller to open another connection (GOAWAY, or the end of this one). Its calls go on. */
  function leave(connection: Connection): void {
    connection.isLeaving = true
    // The GOAWAY frame names the last accepted call, so callers know that later ones are safe to retry.
    connection.session?.close()
    if (connection.calls > 0) return
    // A peer that never closes its side would keep an HTTP/2 connection open.
    if (connection.session) setTimeout(() => connection.socket.destroy(), helloTimeoutMs).unref()
    else connection.socket.destroySoon()
  }

  /** Asks all callers to reconnect. Destroys the remaining connections after `graceMs`. */
  function retire(graceMs: number): NodeJS.Timeout {
    const old = [...connections]
    for (const connection of old) leave(connection)
    return setTimeout(() => {
      for (const { socket } of old) socket.destroy()
    }, graceMs)
  }

  return {
    server,
    /** Uses new certificates for new connections. After a change of the client CA, old ones end in `reconnectMs`. */
    renew(fresh: Certificates): void {
      if (server instanceof TlsServer) server.setSecureContext({ ...tlsOptions, ...fresh })
      const isNewAuthority = fresh.ca !== tls?.ca
      tls = fresh
      if (isNewAuthority) retire(reconnectMs).unref()
    },
    /** Stops accepting, tells callers to reconnect elsewhere, and lets calls finish for at most `graceMs`. */
    async close(graceMs: number): Promise<void> {
      const closed = once(server.close(), 'close')
      const deadline = retire(graceMs)
      await closed
      clearTimeout(deadline)
    },
  }
}

/** The start of the HTTP/2 connection preface (RFC 9113 §3.4). No HTTP/1.1 method starts with it. */
const http2Prefix = Buffer.from('PRI')

/** Detects HTTP/2 by the first bytes, however they are split. Destroys a socket that is silent for `timeoutMs`. */
export function detectProtocol(socket: Socket, timeoutMs: number, decide: (isHttp2: boolean) => void): void {
  const giveUp = () => socket.destroy()
  function look(): void {
    // Null until that many bytes have arrived.
    const start: Buffer | null = socket.read(http2Prefix.length)
    if (start === null) return
    socket.off('readable', look).setTimeout(0, giveUp)
    socket.unshift(start)
    decide(start.equals(http2Prefix))
  }
  socket.setTimeout(timeoutMs, giveUp)
  socket.on('readable', look)
}
