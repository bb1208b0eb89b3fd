import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createConnections } from '../connection/connections.ts'
import type { Metrics } from './metrics.ts'
import type { Readiness, ReadinessReport } from './readiness.ts'

export interface OpsOptions {
  metrics: Pick<Metrics, 'render'>
  readiness: Pick<Readiness, 'check'>
  /** Submissions in the last minute with `X-Forwarded-For` from an untrusted peer. */
  untrustedForwarders: { readonly recent: number }
}

/** A prober or scraper uses one connection and waits for the answer before its next request. */
const bounds = { connections: 256, unanswered: 4 }

interface Answer {
  status: number
  type: string
  body: string
}

const text = 'text/plain; charset=utf-8'

/**
 * The body of `/readyz`: `ok`; `ok, but database: …` when the replica stays ready despite a problem; or `not ready: …`.
 * Scripts read the status code, people read the text.
 */
function renderReadiness({ ready, troubles }: ReadinessReport): string {
  const all = troubles.join('; ')
  if (!ready) return `not ready: ${all || 'starting'}\n`
  return all === '' ? 'ok\n' : `ok, but ${all}\n`
}

/** The extra lines of `/readyz?verbose`: observations that never make a replica unready but deserve attention. */
function renderDetails(recentUntrusted: number): string {
  return recentUntrusted === 0
    ? 'forwarding: ok\n'
    : `forwarding: ${recentUntrusted} submissions in the last minute had X-Forwarded-For from a peer outside TRUSTED_PROXIES; all callers behind it count as one client\n`
}

/**
 * The ops listener: `/livez` (the event loop responds), `/readyz` (this replica should receive traffic), `/metrics`.
 */
export function createOpsServer({ metrics, readiness, untrustedForwarders }: OpsOptions) {
  const connections = createConnections({ bounds, onClose() {} })
  async function answer(req: IncomingMessage): Promise<Answer> {
    if (req.method !== 'GET' && req.method !== 'HEAD') return { status: 405, type: text, body: 'Use GET or HEAD.\n' }
    const [path, query] = (req.url ?? '').split('?', 2)
    switch (path) {
      case '/livez':
        return { status: 200, type: text, body: 'ok\n' }
      case '/readyz': {
        const report = await readiness.check()
        const details = query === 'verbose' ? renderDetails(untrustedForwarders.recent) : ''
        return { status: report.ready ? 200 : 503, type: text, body: renderReadiness(report) + details }
      }
      case '/metrics':
        return { status: 200, ...(await metrics.render(req.headers.accept)) }
      default:
        return { status: 404, type: text, body: 'The ops listener has /livez, /readyz and /metrics.\n' }
    }
  }

  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    connections.begin(req, res)
    answer(req).then(
      ({ status, type, body }) => {
        res.writeHead(status, {
          'Content-Type': type,
          'Content-Length': Buffer.byteLength(body),
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          ...(status === 405 && { Allow: 'GET, HEAD' }),
        })
        res.end(req.method === 'HEAD' ? undefined : body)
      },
      () => res.writeHead(500).end(),
    )
  })
  server.on('connection', connections.open)
  return server
}
