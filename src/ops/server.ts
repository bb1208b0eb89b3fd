import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'

/** Whether leads can be stored, and which part fails while not. */
export type Readiness = { ok: true } | { ok: false; reason: string }

export interface OpsOptions {
  metrics: Metrics
  /** Must resolve within a second or so, whatever the store does. */
  readiness(): Promise<Readiness>
}

/** The ops listener: `/livez` (the process turns over), `/readyz` (leads can be stored), `/metrics` (contract §10). */
export function createOpsServer({ metrics, readiness }: OpsOptions) {
  async function answer(req: IncomingMessage): Promise<{ status: number; type: string; body: string }> {
    const type = 'text/plain; charset=utf-8'
    if (req.method !== 'GET' && req.method !== 'HEAD') return { status: 405, type, body: 'Use GET or HEAD.\n' }
    switch (req.url?.split('?', 1)[0]) {
      case '/livez':
        return { status: 200, type, body: 'ok\n' }
      case '/readyz': {
        const ready = await readiness()
        return ready.ok
          ? { status: 200, type, body: 'ok\n' }
          : { status: 503, type, body: `not ready: ${ready.reason}\n` }
      }
      case '/metrics':
        return { status: 200, type: metrics.contentType, body: await metrics.render() }
      default:
        return { status: 404, type, body: 'The ops listener has /livez, /readyz and /metrics.\n' }
    }
  }

  return createServer((req: IncomingMessage, res: ServerResponse) => {
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
}
