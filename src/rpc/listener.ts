import { once } from 'node:events'
import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions, Server as TlsServer } from 'node:tls'
import { createConnections } from '../connection/connections.ts'
import { certificateNames } from './certificate-names.ts'
import { readProtocol } from './first-bytes.ts'
import type { StreamHandler } from './grpc-call.ts'
import { type HandshakeFault, handshakeFault } from './handshake.ts'
import { closeWhenIdle } from './idle-session.ts'
import type { NodeHandler } from './node-handler.ts'
import { requestTimeoutMs } from './request-time.ts'
import { createWaitingRoom } from './waiting-room.ts'

/** PEM texts. `ca` signs the client certificates. */
export interface RpcTls {
  cert: string
  key: string
  ca: string
}

export interface RpcListenerOptions {
  handler: NodeHandler
  /** Serves the HTTP/2 streams that it can. Absent: `handler` serves them all. */
  grpcHandler?: StreamHandler
  /** Absent: cleartext. */
  tls?: RpcTls | undefined
  /** Time limit in milliseconds for a TLS handshake, for the first bytes of a connection, and for HTTP/1.1 headers. */
  helloTimeoutMs?: number
  /** Concurrent connections. */
  connectionsMax?: number
  /** Called for each failed TLS handshake, with the error code from Node or OpenSSL. */
  onRefusedHandshake?: (fault: HandshakeFault, code: string, peer: string | undefined) => void
}

export interface RpcListener {
  /** Starts accepting connections. Port 0 picks a free port. Rejects when the port is not available. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** Uses new certificates for new connections. Throws when the listener was created without TLS. */
  reload(tls: RpcTls): void
  /**
   * Stops accepting connections, tells callers to reconnect elsewhere (GOAWAY, `Connection: close`), and lets calls
   * finish for at most `graceMs`. Then destroys what is left. Resolves when every connection is closed.
   */
  close(graceMs: number): Promise<void>
}

/**
 * The callers are a few services with long-lived connections. More than this at once means that one of them is broken.
 */
const connectionsMax = 1_000
/** Concurrent calls on one HTTP/2 connection. */
const streamsMax = 250
/**
 * How many calls per second one HTTP/2 connection may cancel, after an initial burst as large as its number of
 * concurrent calls. Beyond this, the connection is closed: a canceled call costs as much as a refused one, and makes
 * room for the next at once.
 */
const resetsPerSecond = 100
const headerMaxBytes = 16_384
/** Idle timeout of a connection. Longer than that of callers and proxies, so that they close it first. */
const idleTimeoutMs = 300_000

/** A quiet watch stream sends nothing, so TCP keep-alive has to detect dead peers. */
const connectionOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * The internal listener: HTTP/1.1 and HTTP/2 on one port. In cleartext, the first bytes tell the protocol (prior
 * knowledge, no upgrade). With TLS, ALPN tells it, and every client must present a certificate signed by `ca`.
 */
export function createRpcListener(options: RpcListenerOptions): RpcListener {
  const { handler, grpcHandler, tls, helloTimeoutMs = 10_000, onRefusedHandshake } = options
  const waitingRoom = createWaitingRoom(options.connectionsMax ?? connectionsMax)
  const sessions = new Set<ServerHttp2Session>()
  const answering = new Set<ServerResponse>()
  /** The names in each connection's certificate. No entry for cleartext connections. */
  const names = new WeakMap<Socket | Http2Session, readonly string[]>()
  let closing = false

  const connections = createConnections({ onClose() {} })

  const http1 = createHttp1Server(
    {
      maxHeaderSize: headerMaxBytes,
      headersTimeout: helloTimeoutMs,
      // Later than this service's own limit, which begins after the headers and answers with a reason.
      requestTimeout: helloTimeoutMs + requestTimeoutMs + 5_000,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: 1_000,
    },
    handleHttp1,
  )
  http1.on('connection', connections.open)
  // RFC 9110 §10.1.1: an unknown expectation may be ignored. Node itself would answer 417, unlogged and uncounted.
  http1.on('checkExpectation', handleHttp1)
  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerMaxBytes },
    streamResetBurst: streamsMax,
    streamResetRate: resetsPerSecond,
  })
  // Has no connections of its own: Node's server makes a request and a response of each stream that it is given.
  const requests = createHttp2Server(handleHttp2)
  requests.on('checkExpectation', handleHttp2)
  requests.on('connect', handleHttp2)
  http2.on('stream', (stream: ServerHttp2Stream, headers, flags, rawHeaders) => {
    if (!grpcHandler?.(stream, headers, namesOf(stream))) requests.emit('stream', stream, headers, flags, rawHeaders)
  })
  http2.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {})
    if (tls) names.set(session, certificateNames((session.socket as TLSSocket).getPeerX509Certificate()))
    session.once('close', () => sessions.delete(session))
    closeWhenIdle(session, idleTimeoutMs)
  })

  const acceptor = tls
    ? createTlsServer({ ...connectionOptions, ...tlsOptions(tls), handshakeTimeout: helloTimeoutMs })
    : createTcpServer(connectionOptions)
  acceptor.on('connection', (socket: Socket) => {
    // A broken connection is not our error. Its calls are told through their abort signals.
    socket.on('error', () => {})
    waitingRoom.enter(socket)
    if (!tls) readProtocol(socket, helloTimeoutMs, (protocol) => serve(socket, protocol))
  })
  acceptor.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => {})
    names.set(socket, certificateNames(socket.getPeerX509Certificate()))
    serve(socket, socket.alpnProtocol === 'h2' ? 'http2' : 'http1')
  })
  // Node leaves the connection open after a failed or missing handshake.
  acceptor.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    const { fault, code } = handshakeFault(error, socket.authorizationError)
    onRefusedHandshake?.(fault, code, socket.remoteAddress)
    socket.destroy()
  })

  function handleHttp1(request: IncomingMessage, response: ServerResponse): void {
    connections.begin(response)
    answering.add(response)
    response.on('close', () => answering.delete(response))
    if (closing) response.shouldKeepAlive = false
    handler(request, response, names.get(request.socket))
  }

  function handleHttp2(request: Http2ServerRequest, response: Http2ServerResponse): void {
    handler(request, response, namesOf(request.stream as ServerHttp2Stream))
  }

  /** The connection may have broken after the frame arrived; then the session, and the caller's names, are gone. */
  function namesOf({ session }: ServerHttp2Stream): readonly string[] | undefined {
    return session ? names.get(session) : tls && []
  }

  function serve(socket: Socket, protocol: 'http1' | 'http2'): void {
    waitingRoom.pass(socket)
    // A session created on a broken connection would never emit `close`.
    if (closing || socket.destroyed) socket.destroy()
    else if (protocol === 'http2') http2.emit('connection', socket)
    else http1.emit('connection', socket)
  }

  return {
    async listen(port, host) {
      acceptor.listen(port, host)
      await once(acceptor, 'listening')
      // An http.Server starts its timeout checks on `listening`. This one never listens; it is handed connections.
      http1.emit('listening')
      return acceptor.address() as AddressInfo
    },
    reload(fresh) {
      if (!(acceptor instanceof TlsServer)) throw new TypeError('the listener was made without TLS')
      acceptor.setSecureContext(tlsOptions(fresh))
    },
    async close(graceMs) {
      closing = true
      const closed = new Promise<void>((resolve) => acceptor.close(() => resolve()))
      // Closes idle connections now, and busy ones soon after their answer ends.
      http1.keepAliveTimeout = 1
      http1.close()
      for (const response of answering) response.shouldKeepAlive = false
      // The GOAWAY frame names the last accepted call, so callers know that later ones are safe to retry.
      for (const session of sessions) session.close()
      for (const socket of waitingRoom.all) if (socket.bytesRead === 0) socket.destroy()
      const deadline = setTimeout(() => {
        for (const socket of waitingRoom.all) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(deadline)
    },
  }
}

function tlsOptions({ cert, key, ca }: RpcTls): TlsOptions {
  return {
    cert,
    key,
    ca,
    minVersion: 'TLSv1.2',
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2', 'http/1.1'],
  }
}
