import { once } from 'node:events'
import { createServer as createHttp1Server, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type Http2Session, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions, Server as TlsServer } from 'node:tls'
import { createConnections } from '../connection/connections.ts'
import { certificateNames } from './certificate-names.ts'
import { readProtocol } from './first-bytes.ts'
import { type HandshakeFault, handshakeFault } from './handshake.ts'
import { closeWhenIdle } from './idle-session.ts'
import type { NodeHandler } from './node-handler.ts'

/** PEM texts. `ca` is what client certificates must be signed by. */
export interface RpcTls {
  cert: string
  key: string
  ca: string
}

export interface RpcListenerOptions {
  handler: NodeHandler
  /** None: clear text. */
  tls?: RpcTls | undefined
  /** For a TLS handshake, for the first bytes of a connection, and for the headers of an HTTP/1.1 request. */
  helloTimeoutMs?: number
  /** Hears of TLS handshakes that have failed, with the code that Node or OpenSSL gives. */
  onRefusedHandshake?: (fault: HandshakeFault, code: string, peer: string | undefined) => void
}

export interface RpcListener {
  /** Starts to accept connections; port 0 is any free port. Rejects when the port cannot be had. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** Uses other certificates for connections from now on. Throws when the listener was made without TLS. */
  reload(tls: RpcTls): void
  /**
   * Stops to accept, tells callers to go elsewhere (GOAWAY, `Connection: close`), lets calls finish for at most
   * `graceMs`, then destroys what is left. Resolves when every connection is gone.
   */
  close(graceMs: number): Promise<void>
}

/** Callers are a handful of services that keep their connections: more than this at once is a fault of theirs. */
const connectionsMax = 1_000
/** Calls at the same time on one HTTP/2 connection. */
const streamsMax = 250
const headerMaxBytes = 16_384
const requestTimeoutMs = 30_000
/** How long a connection may be quiet. Longer than callers and proxies keep theirs, so that these end it first. */
const idleTimeoutMs = 300_000

/** Dead peers are found by TCP itself, since a quiet watcher sends nothing. */
const connectionOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * The internal listener: HTTP/1.1 and HTTP/2 on one port. In clear text the first bytes tell them apart (prior knowledge;
 * there is no upgrade); with TLS, ALPN does, and every client must show a certificate that `ca` has signed.
 */
export function createRpcListener(options: RpcListenerOptions): RpcListener {
  const { handler, tls, helloTimeoutMs = 10_000, onRefusedHandshake } = options
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const answering = new Set<ServerResponse>()
  /** What a connection's certificate is called; nothing for a connection in clear text. */
  const names = new WeakMap<Socket | Http2Session, readonly string[]>()
  let closing = false

  const connections = createConnections({ onClose() {} })

  const http1 = createHttp1Server(
    {
      maxHeaderSize: headerMaxBytes,
      headersTimeout: helloTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      if (!connections.begin(request, response)) return
      answering.add(response)
      response.once('close', () => answering.delete(response))
      if (closing) response.shouldKeepAlive = false
      handler(request, response, names.get(request.socket))
    },
  )
  http1.on('connection', connections.open)
  const http2 = createHttp2Server(
    { settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerMaxBytes } },
    (request, response) => {
      // The session is gone when the connection broke between the frame and this moment.
      const { session } = request.stream
      handler(request, response, session && names.get(session))
    },
  )
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
  acceptor.maxConnections = connectionsMax
  acceptor.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A connection that breaks is no error of ours; its calls learn of it by their signals.
    socket.on('error', () => {})
    if (!tls) readProtocol(socket, helloTimeoutMs, (protocol) => serve(socket, protocol))
  })
  acceptor.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => {})
    names.set(socket, certificateNames(socket.getPeerX509Certificate()))
    serve(socket, socket.alpnProtocol === 'h2' ? 'http2' : 'http1')
  })
  // Node leaves a connection open whose handshake has failed or does not come.
  acceptor.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    const { fault, code } = handshakeFault(error, socket.authorizationError)
    onRefusedHandshake?.(fault, code, socket.remoteAddress)
    socket.destroy()
  })

  function serve(socket: Socket, protocol: 'http1' | 'http2'): void {
    // A session on a connection that has broken meanwhile would never hear of its end.
    if (closing || socket.destroyed) socket.destroy()
    else if (protocol === 'http2') http2.emit('connection', socket)
    else http1.emit('connection', socket)
  }

  return {
    async listen(port, host) {
      acceptor.listen(port, host)
      await once(acceptor, 'listening')
      // An http.Server watches over its time-outs from the moment it listens; this one is only handed connections.
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
      // Closes idle connections now, and those whose answer had begun soon after its end.
      http1.keepAliveTimeout = 1
      http1.close()
      for (const response of answering) response.shouldKeepAlive = false
      // Sends the GOAWAY that names the last call taken; callers know that later ones can be sent again.
      for (const session of sessions) session.close()
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
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
