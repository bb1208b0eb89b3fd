import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createChildren } from './children.ts'

/** Seconds; the service answers in a few milliseconds, and gives up at five seconds. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128]

/** Counts at the cost of an addition; the library, which looks its labels up each time, gets the sum when it is read. */
class Tally {
  readonly labels: readonly string[]
  #count = 0

  constructor(labels: readonly string[]) {
    this.labels = labels
  }

  inc(): void {
    this.#count++
  }

  /** What was counted since the last time. */
  take(): number {
    const count = this.#count
    this.#count = 0
    return count
  }
}

export interface MetricsOptions {
  version: string
  nodeVersion: string
  /** Asked on each scrape. */
  isStoreUp(): Promise<boolean>
  isReady(): Promise<boolean>
}

/** Every metric of the service (Prometheus text format 0.0.4). No label holds a caller's text. */
export function createMetrics({ version, nodeVersion, isStoreUp, isReady }: MetricsOptions) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: string[]) => {
    const tallies: Tally[] = []
    const collect = () => {
      for (const tally of tallies) metric.labels(...tally.labels).inc(tally.take())
    }
    const metric = new Counter({ name, help, labelNames, registers, collect })
    return createChildren((...labels) => {
      const tally = new Tally(labels)
      tallies.push(tally)
      return tally
    })
  }
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) => {
    const metric = new Histogram({ name, help, labelNames, buckets, registers })
    return createChildren((...labels) => metric.labels(...labels))
  }

  const requests = counter('lead_intake_http_requests_total', 'Public requests by route, status and problem code.', [
    'route',
    'status',
    'code',
  ])
  const requestSeconds = histogram(
    'lead_intake_http_request_duration_seconds',
    'Time to answer a public request.',
    ['route'],
    latencyBuckets,
  )
  const closedConnections = counter(
    'lead_intake_http_connections_closed_total',
    'Public connections that a bound has closed, by reason.',
    ['reason'],
  )
  const calls = counter('lead_intake_rpc_calls_total', 'RPC calls by service, method and Connect code.', [
    'service',
    'method',
    'code',
  ])
  const callSeconds = histogram(
    'lead_intake_rpc_call_duration_seconds',
    'Time to answer a call.',
    ['service', 'method'],
    latencyBuckets,
  )
  const refusedHandshakes = counter(
    'lead_intake_rpc_refused_handshakes_total',
    'TLS handshakes of the internal listener that failed, by fault.',
    ['fault'],
  )
  const leads = counter('lead_intake_leads_total', 'Accepted submissions by path and outcome.', ['path', 'outcome'])
  const decisions = counter('lead_intake_limiter_decisions_total', 'Limiter decisions by mode and result.', [
    'mode',
    'result',
  ])
  const fallbacks = counter(
    'lead_intake_limiter_fallbacks_total',
    'How often the limiter went over to its fallback.',
    [],
  )
  const batches = counter('lead_intake_store_batches_total', 'Commits by outcome.', ['outcome'])
  const batchSeconds = histogram('lead_intake_store_batch_seconds', 'Time of one commit.', [], latencyBuckets)
  const batchSize = histogram('lead_intake_store_batch_size', 'Submissions that share a commit.', [], batchBuckets)
  const fallback = new Gauge({
    name: 'lead_intake_limiter_fallback',
    help: '1 while the limiter runs on its fallback.',
    registers,
  })
  fallback.set(0)
  const info = new Gauge({
    name: 'lead_intake_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node'],
    registers,
  })
  info.labels(version, nodeVersion).set(1)
  const probed = (name: string, help: string, read: () => Promise<boolean>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set((await read()) ? 1 : 0)
      },
    })
  probed('lead_intake_store_up', '1 while leads can be stored, asked on each scrape.', isStoreUp)
  probed('lead_intake_ready', '1 while /readyz answers 200.', isReady)

  return {
    /** `seconds` is undefined where the request never arrived as a whole. */
    onRequest(route: string, status: number, code: string | undefined, seconds?: number) {
      requests(route, String(status), code ?? '').inc()
      if (seconds !== undefined) requestSeconds(route).observe(seconds)
    },
    onConnectionClosed(reason: string) {
      closedConnections(reason).inc()
    },
    onCall(service: string, method: string, code: string, seconds: number) {
      calls(service, method, code).inc()
      callSeconds(service, method).observe(seconds)
    },
    onRefusedHandshake(fault: string) {
      refusedHandshakes(fault).inc()
    },
    onLead(path: string, outcome: string) {
      leads(path, outcome).inc()
    },
    onDecision(mode: string, allowed: boolean) {
      decisions(mode, allowed ? 'allowed' : 'refused').inc()
    },
    onLimiterMode(mode: string) {
      fallback.set(mode === 'fallback' ? 1 : 0)
      if (mode === 'fallback') fallbacks().inc()
    },
    onBatch({ size, seconds, outcome }: { size: number; seconds: number; outcome: string }) {
      batches(outcome).inc()
      batchSeconds().observe(seconds)
      batchSize().observe(size)
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
