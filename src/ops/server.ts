import { createServer, type Server } from 'node:http'
import type { Metrics } from './metrics.ts'
import type { Readiness, ReadinessReport } from './readiness.ts'

export interface OpsOptions {
  metrics: Pick<Metrics, 'render'>
  readiness: Pick<Readiness, 'check'>
}

const plain = (status: number, body: string) => ({ status, type: 'text/plain; charset=utf-8', body })

/** How many probes and scrapes may be in progress. */
const maxConnections = 64

/** How long a connection may last, in milliseconds. It bounds idle ones and answers that nobody reads. */
const connectionMaxMs = 10_000

/**
 * The body of `/readyz`: `ok`; `ok, but database: …` when the replica stays ready despite a trouble; or `not ready: …`.
 * Scripts read the status code, people read the text.
 */
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

  const server = createServer(async (req, res) => {
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
  })
  server.maxConnections = maxConnections
  server.maxRequestsPerSocket = 1
  server.on('connection', (socket) => {
    const timer = setTimeout(() => socket.destroy(), connectionMaxMs).unref()
    socket.once('close', () => clearTimeout(timer))
  })
  return server
}
