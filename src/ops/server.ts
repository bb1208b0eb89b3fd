import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Metrics } from './metrics.ts'
import { stopParsing, watchParsing } from './parser-guard.ts'
import type { Readiness, ReadinessReport } from './readiness.ts'

export interface OpsOptions {
  metrics: Pick<Metrics, 'render'>
  readiness: Pick<Readiness, 'check'>
}

const plain = (status: number, body: string) => ({ status, type: 'text/plain; charset=utf-8', body })

/** Connections. Beyond this, the one that has asked nothing for the longest time gives way, so that probes get through. */
const connectionsMax = 256

/** Requests that are ignored behind the first one of a connection. */
const ignoredMax = 32

/** Bytes of one connection. Node parses what follows the one request, too. */
const bytesMax = 4_096

/** How long a connection may last, in milliseconds. It bounds idle ones and answers that nobody reads. */
const connectionMaxMs = 10_000

/** The body of `/readyz`, for people: `ok`; `ok, but database: …` when ready despite a trouble; or `not ready: …`. */
function renderReadiness({ ready, troubles }: ReadinessReport): string {
  const all = troubles.join('; ')
  if (!ready) return `not ready: ${all || 'starting'}\n`
  return all === '' ? 'ok\n' : `ok, but ${all}\n`
}

/**
 * The ops listener: `/livez` (the event loop responds), `/readyz` (this replica should receive traffic), `/metrics`. A
 * connection carries one request, so that unread answers stay few.
 */
export function createOpsServer({ metrics, readiness }: OpsOptions): Server {
  async function answer(method: string | undefined, url: string | undefined) {
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Use GET or HEAD.\n')
    switch (url?.split('?')[0]) {
      case '/livez':
        return plain(200, 'ok\n')
      case '/readyz': {
        const report = await readiness.check()
        return plain(report.ready ? 200 : 503, renderReadiness(report))
      }
      case '/metrics':
        return { status: 200, ...(await metrics.render()) }
      default:
        return plain(404, 'The ops listener has /livez, /readyz and /metrics.\n')
    }
  }

  /** The open connections in the order of their start, each with its number of requests. */
  const open = new Map<Socket, number>()

  async function handle(req: IncomingMessage, res: ServerResponse) {
    const { socket } = req
    const earlier = open.get(socket) ?? ignoredMax
    if (earlier < ignoredMax) open.set(socket, earlier + 1)
    else stopParsing()
    if (earlier > 0) return
    const failed = () => plain(500, 'The answer could not be made.\n')
    const { status, type, body } = await answer(req.method, req.url).catch(failed)
    res.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    })
    res.end(req.method === 'HEAD' ? undefined : body)
  }

  // What Node refuses itself, it refuses for each request of a packet, without an event.
  const server = createServer({ requireHostHeader: false }, handle)
  server.on('checkExpectation', handle)
  server.on('connection', (socket) => {
    watchParsing(socket)
    socket.prependListener(
      'data',
      (packet: Buffer) => socket.bytesRead > bytesMax && packet.fill(0) && socket.destroy(),
    )
    open.set(socket, 0)
    if (open.size > connectionsMax) {
      const silent = [...open.keys()].filter((each) => open.get(each) === 0)
      const [oldest = socket] = silent.length > 1 ? silent : open.keys()
      open.delete(oldest)
      oldest.destroy()
    }
    const timer = setTimeout(() => socket.destroy(), connectionMaxMs).unref()
    socket.once('close', () => {
      clearTimeout(timer)
      open.delete(socket)
    })
  })
  return server
}
