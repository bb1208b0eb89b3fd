import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ConsumerLag } from '../inbox/consumers.ts'
import { problemTable } from '../problem/table.ts'
import { leadPaths } from '../public-paths.ts'
import { version } from '../version.ts'

/** In seconds. A normal answer takes a few milliseconds; the service gives up after five seconds. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBuckets = [1, 4, 16, 64, 256, 1_024]

const submissionRoutes = new Set(leadPaths.map(({ path }) => path))

interface CallFigures {
  service: string
  method: string
  code: string
  seconds: number
}

/** Read at each scrape. */
export interface MetricsSources {
  isStoreUp(): Promise<boolean>
  isOnFallback(): Promise<boolean>
  isReady(): Promise<boolean>
  readConsumers(): Promise<readonly ConsumerLag[]>
  /** How many log lines were lost since the start. */
  linesDropped(): number
}

/** All the metrics of the service. No label contains a caller's text, except the names of the feed's consumers. */
export function createMetrics({ isStoreUp, isOnFallback, isReady, readConsumers, linesDropped }: MetricsSources) {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Counter<L>({ name, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
    new Histogram<L>({ name, help, buckets, labelNames, registers })
  /** Whose value is read at each scrape. */
  const counted = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const flag = (name: string, help: string, read: () => Promise<boolean>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set((await read()) ? 1 : 0)
      },
    })

  const requests = counter('lead_intake_http_requests_total', 'Public requests by route, status and problem code.', [
    'route',
    'status',
    'code',
  ])
  const requestSeconds = histogram(
    'lead_intake_http_request_duration_seconds',
    'Time to answer a submission that was accepted.',
    latencyBuckets,
    ['route'],
  )
  const closedConnections = counter(
    'lead_intake_http_connections_closed_total',
    'Public connections closed because there were too many, of a client or in all.',
    ['reason'],
  )
  const untrusted = counter(
    'lead_intake_untrusted_forwarded_total',
    'Submissions with X-Forwarded-For from a peer outside TRUSTED_PROXIES.',
  )
  const refusedOrigins = counter(
    'lead_intake_cors_refused_total',
    "Browsers' preflights from an origin that is not in CORS_ORIGINS.",
  )
  const outdatedWordings = counter(
    'lead_intake_outdated_wording_total',
    'New leads whose customer was presented a consent wording that is not in force.',
  )
  const calls = counter('lead_intake_rpc_calls_total', 'RPC calls by service, method and Connect code.', [
    'service',
    'method',
    'code',
  ])
  const refusedHandshakes = counter(
    'lead_intake_rpc_refused_handshakes_total',
    'TLS handshakes of the internal listener that failed, by the code of Node or OpenSSL.',
    ['code'],
  )
  const callSeconds = histogram(
    'lead_intake_rpc_call_duration_seconds',
    'Time of a unary RPC call, whatever its code.',
    latencyBuckets,
    ['method'],
  )
  /** Without a certificate there is no series, because its 0 would mean a certificate that expired in 1970. */
  let certificateExpiry: Gauge | undefined
  const leads = counter('lead_intake_leads_total', 'Accepted submissions by path and outcome.', ['path', 'outcome'])
  const decisions = counter('lead_intake_limiter_decisions_total', 'Limiter decisions by mode and result.', [
    'mode',
    'result',
  ])
  const batches = counter('lead_intake_store_batches_total', 'Commits by outcome.', ['outcome'])
  const batchSeconds = histogram('lead_intake_store_batch_seconds', 'Time of one commit.', latencyBuckets)
  const batchSize = histogram('lead_intake_store_batch_size', 'Submissions that share a commit.', batchBuckets)
  const streams = gauge('lead_intake_consumer_streams', 'Open streams of the feed by consumer.', ['consumer'])
  const lagLeads = gauge(
    'lead_intake_consumer_lag_leads',
    'Entries that the service has not sent to a consumer; what was sent may still wait to be processed.',
    ['consumer'],
  )
  const lagSeconds = gauge(
    'lead_intake_consumer_lag_seconds',
    'Age of the oldest entry that a consumer has not been sent.',
    ['consumer'],
  )

  // As `collectDefaultMetrics` names them. That also watches the event loop, which wakes an idle process every 10 ms.
  gauge('process_start_time_seconds', 'When the process was started.').set(performance.timeOrigin / 1_000)
  counted('process_cpu_seconds_total', 'CPU time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  counted(
    'lead_intake_log_lines_dropped_total',
    'Log lines that were lost: their reader was too slow or gone, or the disk was full.',
    linesDropped,
  )
  flag('lead_intake_store_up', '1 while leads can be stored, checked at each scrape.', isStoreUp)
  flag('lead_intake_limiter_fallback', '1 while the limiter runs on its fallback.', isOnFallback)
  flag('lead_intake_ready', '1 while /readyz answers 200.', isReady)
  gauge('lead_intake_build_info', 'Always 1; the labels say what runs.', ['version', 'node']).set(
    { version, node: process.version },
    1,
  )

  // Prometheus sees no increase in a series that begins at 1, so those that alerts count begin at 0.
  for (const { path, via } of [...leadPaths, { path: undefined, via: 'rpc' }]) {
    for (const outcome of ['created', 'replayed', 'duplicate']) leads.inc({ path: via, outcome }, 0)
    if (path === undefined) continue
    for (const status of [200, 201]) requests.inc({ route: path, status, code: '' }, 0)
    for (const [code, { status }] of Object.entries(problemTable))
      if (status !== null) requests.inc({ route: path, status, code }, 0)
  }

  return {
    /** `seconds` is undefined when the request did not arrive completely. */
    onRequest(route: string, status: number, code: string | undefined, seconds?: number) {
      requests.inc({ route, status, code: code ?? '' })
      // A refusal takes no time and a 503 takes seconds: neither shows how long storing takes.
      if (seconds !== undefined && (status === 200 || status === 201) && submissionRoutes.has(route)) {
        requestSeconds.observe({ route }, seconds)
      }
    },
    onConnectionClosed: (reason: string) => closedConnections.inc({ reason }),
    onCall({ service, method, code, seconds }: CallFigures, isUnary: boolean) {
      calls.inc({ service, method, code })
      if (isUnary) callSeconds.observe({ method }, seconds)
    },
    onRefusedHandshake: (code: string) => refusedHandshakes.inc({ code }),
    onCertificate(expiry: Date) {
      certificateExpiry ??= gauge(
        'lead_intake_internal_certificate_expiry_timestamp_seconds',
        'When the certificate of the internal listener expires.',
      )
      certificateExpiry.set(expiry.getTime() / 1_000)
    },
    onLead: (via: string, outcome: string) => leads.inc({ path: via, outcome }),
    onDecision: (mode: string, allowed: boolean) => decisions.inc({ mode, result: allowed ? 'allowed' : 'refused' }),
    onUntrustedForwarded: () => untrusted.inc(),
    onRefusedOrigin: () => refusedOrigins.inc(),
    onOutdatedWording: () => outdatedWordings.inc(),
    onBatch({ size, seconds, outcome }: { size: number; seconds: number; outcome: string }) {
      batches.inc({ outcome })
      batchSeconds.observe(seconds)
      batchSize.observe(size)
    },
    async render(): Promise<{ type: string; body: string }> {
      const consumers = await readConsumers()
      for (const metric of [streams, lagLeads, lagSeconds]) metric.reset()
      for (const { consumer, streams: open, lag } of consumers) {
        streams.set({ consumer }, open)
        if (lag === undefined) continue
        lagLeads.set({ consumer }, lag.leads)
        lagSeconds.set({ consumer }, lag.seconds)
      }
      return { type: registry.contentType, body: await registry.metrics() }
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
