import { createServer, type Server } from 'node:http'
import type { Metrics } from './metrics.ts'
import type { Readiness, ReadinessReport } from './readiness.ts'

export interface OpsOptions {
  metrics: Pick<Metrics, 'render'>
  readiness: Pick<Readiness, 'check'>
}

/** How many probes and scrapes may be in progress. */
const maxConnections = 64

/** How long a connection may last, in milliseconds. It bounds idle ones and answers that nobody reads. */
const connectionMaxMs = 10_000

interface OpsAnswer {
  status: number
  type?: string
  body: string
}

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
  async function answer(method: string | undefined, url: string | undefined): Promise<OpsAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'Use GET or HEAD.\n' }
    switch (url?.split('?')[0]) {
      case '/livez':
        return { status: 200, body: 'ok\n' }
      case '/readyz': {
        const report = await readiness.check()
        return { status: report.ready ? 200 : 503, body: renderReadiness(report) }
      }
      case '/metrics':
        return { status: 200, ...(await metrics.render()) }
      default:
        return { status: 404, body: 'The ops listener has /livez, /readyz and /metrics.\n' }
    }
  }

  const server = createServer(async (req, res) => {
    const { status, type, body } = await answer(req.method, req.url).catch(() => ({
      status: 500,
      type: undefined,
      body: 'The answer could not be made.\n',
    }))
    res.writeHead(status, {
      'Content-Type': type ?? 'text/plain; charset=utf-8',
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
