import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Metrics } from './metrics.ts'
import type { Readiness, ReadinessReport } from './readiness.ts'

export interface OpsOptions {
  metrics: Pick<Metrics, 'render'>
  readiness: Pick<Readiness, 'check'>
}

const plain = (status: number, body: string) => ({ status, type: 'text/plain; charset=utf-8', body })

/** Connections that have not asked anything. Beyond this, the oldest gives way, so that probes get through. */
const silentMax = 256

/** How long a request may take to arrive, and a caller may read nothing of its answer, in milliseconds. */
const timeoutMs = 5_000

/** The body of `/readyz`, for people: `ok`; `ok, but database: …` when ready despite a trouble; or `not ready: …`. */
function renderReadiness({ ready, troubles }: ReadinessReport): string {
  const all = troubles.join('; ')
  if (!ready) return `not ready: ${all || 'starting'}\n`
  return all === '' ? 'ok\n' : `ok, but ${all}\n`
}

/**
 * The ops listener: `/livez` (the event loop responds), `/readyz` (this replica should receive traffic), `/metrics`. A
 * connection carries one request.
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

  /** In the order of their start. */
  const silent = new Set<Socket>()

  async function handle(req: IncomingMessage, res: ServerResponse) {
    silent.delete(req.socket)
    const failed = () => plain(500, 'The answer could not be made.\n')
    const { status, type, body } = await answer(req.method, req.url).catch(failed)
    res.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    })
    res.end(req.method === 'HEAD' ? undefined : body)
  }

  const server = createServer(
    {
      requireHostHeader: false,
      headersTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 4_096,
    },
    handle,
  )
  server.setTimeout(timeoutMs)
  server.maxRequestsPerSocket = 1
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
    if (silent.size > silentMax) silent.values().next().value?.destroy()
  })
  return server
}
