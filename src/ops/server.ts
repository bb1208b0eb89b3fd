import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
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

const wrongMethod: Answer = { status: 405, type: text, body: 'Use GET or HEAD.\n' }
const malformed: Answer = { status: 400, type: text, body: 'This is not a request that HTTP/1.1 allows.\n' }

function headersOf({ status, type, body }: Answer): Record<string, string | number> {
  return {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 && { Allow: 'GET, HEAD' }),
  }
}

/** A complete HTTP/1.1 answer as bytes. The connection closes after it. */
function renderRefusal(answer: Answer): string {
  const fields = Object.entries({ ...headersOf(answer), Connection: 'close' })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head}\r\n${answer.body}`
}

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
    if (req.method !== 'GET' && req.method !== 'HEAD') return wrongMethod
    const target = URL.parse(req.url ?? '', 'http://ops')
    if (!target) return malformed
    switch (target.pathname) {
      case '/livez':
        return { status: 200, type: text, body: 'ok\n' }
      case '/readyz': {
        const report = await readiness.check()
        const details = target.search === '?verbose' ? renderDetails(untrustedForwarders.recent) : ''
        return { status: report.ready ? 200 : 503, type: text, body: renderReadiness(report) + details }
      }
      case '/metrics':
        return { status: 200, ...(await metrics.render()) }
      default:
        return { status: 404, type: text, body: 'The ops listener has /livez, /readyz and /metrics.\n' }
    }
  }

  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    connections.begin(res)
    answer(req).then(
      (found) => {
        res.writeHead(found.status, headersOf(found))
        res.end(req.method === 'HEAD' ? undefined : found.body)
      },
      () => res.writeHead(500).end(),
    )
  })
  server.on('connection', connections.open)
  const refused = new WeakSet<Socket>()
  /** Answers input for which Node creates no request, after the connection's pending answers. */
  function refuse(socket: Socket, answer: Answer): void {
    if (refused.has(socket)) return
    refused.add(socket)
    const earlier = connections.answering(socket)
    if (earlier) earlier.once('close', () => answerAndClose(socket, answer))
    else answerAndClose(socket, answer)
  }
  function answerAndClose(socket: Socket, answer: Answer): void {
    connections.detach(socket)
    socket.end(renderRefusal(answer), () => socket.destroy())
  }
  server.on('connect', (req: IncomingMessage, stream: Duplex) => {
    // `stream` may be a stream around the socket, which has no other error listener.
    stream.on('error', () => {})
    refuse(req.socket, wrongMethod)
  })
  server.on('clientError', (_, socket) => refuse(socket as Socket, malformed))
  return server
}
