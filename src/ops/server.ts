import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Metrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'

/** How many connections may have sent no request. Beyond this, the oldest is closed, so that probes get through. */
const silentMax = 256
/** How long a request may take to arrive, and a caller may stop reading its answer, in milliseconds. */
const timeoutMs = 5_000

/** `/livez` (the event loop responds), `/readyz` (send traffic here), `/metrics`. One request per connection. */
export function createOpsServer(render: () => ReturnType<Metrics['render']>, readiness: Readiness): Server {
  async function answer({ method, url }: IncomingMessage): Promise<{ status: number; body: string; type?: string }> {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'Use GET or HEAD.\n' }
    switch (url?.split('?')[0]) {
      case '/livez':
        return { status: 200, body: 'ok\n' }
      case '/readyz': {
        const { ready, troubles } = await readiness.judge()
        const all = troubles.join('; ')
        if (!ready) return { status: 503, body: `not ready: ${all || 'starting'}\n` }
        return { status: 200, body: all ? `ok, but ${all}\n` : 'ok\n' }
      }
      case '/metrics':
        return { status: 200, ...(await render()) }
      default:
        return { status: 404, body: 'The ops listener has /livez, /readyz and /metrics.\n' }
    }
  }

  const limits = { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: 1_000 }
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 4_096, ...limits })
  server.setTimeout(timeoutMs)
  server.maxRequestsPerSocket = 1
  /** Connections without a request, the oldest first. */
  const silent = new Set<Socket>()
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
    if (silent.size > silentMax) silent.values().next().value?.destroy()
  })
  server.on('request', async (req, res) => {
    silent.delete(req.socket)
    const failed = () => ({ status: 500, body: 'The answer could not be made.\n', type: undefined })
    const { status, body, type = 'text/plain; charset=utf-8' } = await answer(req).catch(failed)
    res.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    })
    res.end(req.method === 'HEAD' ? undefined : body)
  })
  return server
}
