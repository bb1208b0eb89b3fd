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
import type { InternalTls } from '../../config/internal.ts'
import { listen } from '../../ops/listen.ts'
import { beginRequest, stopParsing, watchParsing } from '../../ops/parser-guard.ts'
import { certificateNames } from '../roles.ts'
import { detectProtocol } from './detect-protocol.ts'
import type { NodeHandler } from './handler.ts'
import { keepConnection, making } from './kept-connections.ts'

/** PEM texts. `ca` signs the client certificates. */
export type RpcTls = Omit<InternalTls, 'files'>

export interface RpcListenerOptions {
  handler: NodeHandler
  /** Absent: cleartext. */
  tls?: RpcTls | undefined
  /** Time limit in milliseconds for a TLS handshake, and for the first bytes of a cleartext connection. */
  helloTimeoutMs?: number
  /** Time limit in milliseconds for an HTTP/1.1 request to arrive over TLS. A third of it is for its headers. */
  requestTimeoutMs?: number
  /** Concurrent connections. */
  connectionsMax?: number
  /** How long a connection without a call stays open. Longer than callers and proxies keep it, so that they close it. */
  idleTimeoutMs?: number
  /** From how many milliseconds on a turn of the event loop is long. */
  longTurnMs?: number
  /** After a change of the client CA: how long calls on older connections may go on, in milliseconds. */
  reconnectMs?: number
  /** Called for each failed TLS handshake, with the error code of Node or OpenSSL. */
  onRefusedHandshake?: (code: string, peer: string | undefined) => void
}

/**
 * The callers are a few services with long-lived connections. More than this at once means that one of them is broken.
 * Each can keep the event loop busy for 30 ms with canceled calls.
 */
const connectionsMaxDefault = 32
/** From this share of them on, each new connection takes the place of one without calls. */
const crowded = 0.75
/** Connections of one name in certificates. */
const connectionsOfNameMax = 25
/** Concurrent calls on one HTTP/2 connection. */
const streamsMax = 100
/** Unanswered requests on one HTTP/1.1 connection. */
const unansweredMax = 32
/**
 * How many calls per second one HTTP/2 connection may cancel, after an initial burst as large as its number of
 * concurrent calls (rapid reset, CVE-2023-44487). A canceled call costs half a millisecond.
 */
const resetsPerSecond = 100
const headerMaxBytes = 16_384
/**
 * Bytes of one connection in a long turn of the event loop. Flow control lets an honest HTTP/2 caller send 64 KiB and the
 * headers of its calls. Only bytes show header blocks that Node refuses: it emits no event for them.
 */
const longTurnMaxBytes = 524_288
const lookEveryMs = 20
/** Frames of data and GOAWAY of a connection between two looks. Each costs 4 µs, however short it is. */
const framesMax = 1_000

/** A stream of health or reflection may be silent for hours, so TCP keep-alive has to detect dead peers. */
const connectionOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

const tlsOptions: TlsOptions = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: true,
  ALPNProtocols: ['h2', 'http/1.1'],
}

/**
 * The internal listener: HTTP/1.1 and HTTP/2 on one port. In cleartext, the first bytes tell the protocol (prior
 * knowledge, no upgrade). With TLS, ALPN tells it, and every caller must present a certificate signed by `ca`.
 */
export function createRpcListener(options: RpcListenerOptions) {
  const {
    handler,
    helloTimeoutMs = 5_000,
    requestTimeoutMs = 30_000,
    reconnectMs = 60_000,
    idleTimeoutMs = 300_000,
    longTurnMs = 100,
    connectionsMax = connectionsMaxDefault,
    onRefusedHandshake,
  } = options
  let { tls } = options
  /** Open connections, each with the bytes that had arrived at the last look. */
  const sockets = new Map<Socket, number>()
  /** The HTTP/2 connections in the order of their start. `frames`: since the last look. `busyMs`: when it last had a call. */
  const sessions = new Map<ServerHttp2Session, { calls: number; frames: number; busyMs: number; socket?: Socket }>()
  /** The HTTP/1.1 connections, each with its number of unanswered requests, and whether it ends after their answers. */
  const http1Sockets = new Map<Socket, { unanswered: number; isRetired: boolean }>()
  /** The names in each connection's certificate. No entry for cleartext connections. */
  const names = new WeakMap<Socket | ServerHttp2Session, readonly string[]>()
  /** Open connections by the first name in their certificate. The authority bounds the names. */
  const perName = new Map<string, number>()
  let closing = false
  let lookedMs = performance.now()
  const looking = setInterval(look, lookEveryMs).unref()

  const http1Options = {
    maxHeaderSize: headerMaxBytes,
    keepAliveTimeout: idleTimeoutMs,
    headersTimeout: requestTimeoutMs / 3,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 6,
    // What Node refuses itself, it refuses for each request of a packet, without an event.
    requireHostHeader: false,
  }
  const http2Options = {
    settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerMaxBytes },
    streamResetBurst: streamsMax,
    streamResetRate: resetsPerSecond,
    // By default 1,000, which cost more than calls.
    maxSessionInvalidFrames: 10,
  }
  const acceptor = tls ? createTlsAcceptor(tls) : createCleartextAcceptor()
  acceptor.maxConnections = connectionsMax
  acceptor.on('connection', (socket: Socket) => {
    // A broken connection aborts the signals of its calls. Nobody needs to know its error.
    socket.on('error', () => {})
    sockets.set(socket, 0)
    socket.once('close', () => sockets.delete(socket))
  })

  /** Closes the connections that have sent too much in a long turn, or had no call for long. */
  function look(): void {
    const nowMs = performance.now()
    const isLong = nowMs - lookedMs > lookEveryMs + longTurnMs
    lookedMs = nowMs
    // A timeout of the session itself would keep it in memory for as long, also after its end.
    for (const [session, connection] of sessions) {
      connection.frames = 0
      if (connection.calls > 0) connection.busyMs = nowMs
      else if (nowMs - connection.busyMs > idleTimeoutMs) session.close()
    }
    for (const [socket, before] of sockets) {
      sockets.set(socket, socket.bytesRead)
      if (isLong && socket.bytesRead - before > longTurnMaxBytes) socket.destroy()
    }
  }

  function createTlsAcceptor(tls: RpcTls) {
    const server = createSecureServer(
      {
        ...connectionOptions,
        ...tlsOptions,
        ...tls,
        ...http2Options,
        handshakeTimeout: helloTimeoutMs,
        allowHTTP1: true,
        http1Options,
      },
      handle,
    )
    server.on('session', openSession)
    server.on('checkExpectation', handle)
    // Node's own listener, which makes the HTTP/2 connection, runs between these two.
    server.prependListener('secureConnection', () => making.enable())
    server.on('secureConnection', (socket: TLSSocket) => {
      making.disable()
      socket.on('error', () => {})
      const ownNames = certificateNames(socket.getPeerX509Certificate())
      names.set(socket, ownNames)
      if (closing || !takePlace(socket, ownNames[0] ?? '')) socket.destroy()
      else if (socket.alpnProtocol !== 'h2') openHttp1(socket)
    })
    // Node leaves the connection open after a failed or missing handshake.
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      onRefusedHandshake?.(`${socket.authorizationError || error.code || error.name}`, socket.remoteAddress)
      socket.destroy()
    })
    return server
  }

  /** Counts a connection for a name in certificates. False: the name has too many. */
  function takePlace(socket: Socket, name: string): boolean {
    const count = (perName.get(name) ?? 0) + 1
    perName.set(name, count)
    socket.once('close', () => perName.set(name, (perName.get(name) ?? 1) - 1))
    return count <= connectionsOfNameMax
  }

  /** The HTTP/1.1 server does not listen itself, so Node's time limits for headers and requests do not apply. */
  function createCleartextAcceptor() {
    const http1 = createHttp1Server(http1Options, handle)
    http1.setTimeout(idleTimeoutMs)
    http1.on('checkExpectation', handle)
    const http2 = createHttp2Server(http2Options, handle)
    http2.on('session', openSession)
    return createTcpServer(connectionOptions, (socket) => {
      detectProtocol(socket, helloTimeoutMs, (protocol) => {
        // A session created on a broken connection would never emit `close`.
        if (closing || socket.destroyed) {
          socket.destroy()
        } else if (protocol === 'http2') {
          making.enable()
          http2.emit('connection', socket)
          making.disable()
        } else {
          http1.emit('connection', socket)
          openHttp1(socket)
        }
      })
    })
  }

  function openSession(session: ServerHttp2Session): void {
    if (sessions.size >= connectionsMax * crowded) closeIdle()
    const { remoteAddress, remotePort } = session.socket
    const isOwn = (socket: Socket) => socket.remotePort === remotePort && socket.remoteAddress === remoteAddress
    sessions.set(session, { calls: 0, frames: 0, busyMs: lookedMs, socket: sockets.keys().find(isOwn) })
    session.on('goaway', () => countFrame(session))
    keepConnection(session)
    session.on('error', () => {})
    if (tls) names.set(session, certificateNames((session.socket as TLSSocket).getPeerX509Certificate()))
    session.once('close', () => sessions.delete(session))
  }

  /** Asks the caller of the oldest connection without a call to reconnect, so that the next new one has room. */
  function closeIdle(): void {
    const idle = sessions.entries().find(([session, { calls }]) => calls === 0 && !session.closed)
    idle?.[0].close()
  }

  /** Counts a frame. False: the connection has sent too many, and is closed within the turn in which they arrive. */
  function countFrame(session: ServerHttp2Session): boolean {
    const connection = sessions.get(session)
    if (!connection || ++connection.frames <= framesMax) return true
    connection.socket?.destroy()
    return false
  }

  function openHttp1(socket: Socket): void {
    watchParsing(socket)
    http1Sockets.set(socket, { unanswered: 0, isRetired: false })
    socket.once('close', () => http1Sockets.delete(socket))
  }

  function handle(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void {
    if ('stream' in request) handleHttp2(request, response as Http2ServerResponse)
    else handleHttp1(request, response as ServerResponse)
  }

  function handleHttp1(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = http1Sockets.get(socket)
    if (socket.destroyed || !connection) {
      stopParsing()
      return
    }
    if (++connection.unanswered > unansweredMax) {
      socket.destroy()
      return
    }
    if (connection.unanswered === 1) beginRequest(socket)
    // Counted until the next turn, so that one turn has few, however fast they are answered.
    response.once('close', () =>
      setImmediate(() => {
        if (--connection.unanswered === 0 && connection.isRetired) socket.destroySoon()
      }),
    )
    handler(request, response, names.get(socket), () => socket.destroy())
  }

  function handleHttp2(request: Http2ServerRequest, response: Http2ServerResponse): void {
    // The connection may have broken after the frame arrived; then the session, and the caller's names, are gone.
    const session = request.stream.session as ServerHttp2Session | undefined
    const connection = session && sessions.get(session)
    if (connection) connection.calls++
    response.once('close', () => connection && connection.calls--)
    // Node passes each frame of data to `push`, also while nobody reads.
    const push = request.stream.push.bind(request.stream)
    if (session) request.stream.push = (chunk, encoding) => countFrame(session) && push(chunk, encoding)
    handler(request, response, session ? names.get(session) : tls && [], () => {
      session?.destroy()
      // While its caller reads nothing, Node would leave the socket of a destroyed session open.
      connection?.socket?.destroy()
    })
  }

  /** Asks the callers of all open connections to reconnect. Closes what is left after `graceMs`. */
  function retire(graceMs: number): NodeJS.Timeout {
    const old = [...sockets.keys()]
    // The GOAWAY frame names the last accepted call, so callers know that later ones are safe to retry.
    for (const session of sessions.keys()) session.close()
    for (const [socket, connection] of http1Sockets) {
      if (connection.unanswered === 0) socket.destroySoon()
      else connection.isRetired = true
    }
    return setTimeout(() => {
      for (const socket of old) socket.destroy()
    }, graceMs)
  }

  return {
    listen: (port: number, host: string) => listen(acceptor, port, host),
    /**
     * Uses new certificates for new connections. If the client CA has changed, asks the callers of open connections to
     * reconnect, and closes what is left after `reconnectMs`. Throws when the listener was created without TLS.
     */
    renew(fresh: RpcTls): void {
      if (!(acceptor instanceof TlsServer)) throw new TypeError('the listener was made without TLS')
      acceptor.setSecureContext({ ...tlsOptions, ...fresh })
      const isNewAuthority = fresh.ca !== tls?.ca
      tls = fresh
      if (isNewAuthority) retire(reconnectMs).unref()
    },
    /**
     * Stops accepting connections, tells callers to reconnect elsewhere (GOAWAY, or the end of the connection), and lets
     * calls finish for at most `graceMs`. Then destroys what is left. Resolves when every connection is closed.
     */
    async close(graceMs: number): Promise<void> {
      closing = true
      const closed = new Promise<void>((resolve) => acceptor.close(() => resolve()))
      const deadline = retire(graceMs)
      // Nobody waits for an answer on these.
      for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy()
      await closed
      clearTimeout(deadline)
      clearInterval(looking)
    },
  }
}
