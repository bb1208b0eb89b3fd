import { type Attributes, type Span, SpanKind } from '@opentelemetry/api'
import type { LeadStore, NewLead } from '../lead/submission.ts'
import type { DecidedBy, Limiter } from '../limit/decision.ts'
import type { InboxStore } from '../store/inbox.ts'
import type { StartServerSpan } from '../trace.ts'
import { openTracing, type SpanReport, type TracingOptions } from './otel.ts'

/** What a trace records about a public request: the same facts as its log line. */
export interface RequestFacts {
  requestId: string
  method: string
  route: string
  status: number
  problemCode: string | undefined
}

/** What a trace records about a call: the same facts as its log line. */
export interface CallFacts {
  requestId: string
  service: string
  method: string
  /** `ok` or a Connect code name. */
  code: string
}

/** Traces at the boundaries of the service (OpenTelemetry semantic conventions 1.45 for HTTP, RPC and databases). */
export interface Traces {
  request: StartServerSpan<RequestFacts>
  call: StartServerSpan<CallFacts>
  limiter(limiter: Limiter): Limiter
  /** Adds to the active span which limiter decided a check, and how. */
  onDecision(by: DecidedBy, allowed: boolean): void
  /** Traces one rate-limit check on Redis. */
  redis<T>(count: () => Promise<T>): Promise<T>
  store(store: LeadStore): LeadStore
  /** Traces one commit of leads that came from `store`. */
  commit<T>(leads: readonly NewLead[], commit: () => Promise<T>): Promise<T>
  inbox(inbox: InboxStore): InboxStore
  close(): Promise<void>
}

/** The Connect codes that count as server errors in gRPC's conventions. */
const failures = new Set(['unknown', 'deadline_exceeded', 'unimplemented', 'internal', 'unavailable', 'data_loss'])

/** How spans identify a backend. */
export interface TracedBackend {
  /** `sqlite`, `postgresql` or `redis`. */
  system: string
  /** The host. Undefined for an in-process database, and for a Redis deployment with many hosts. */
  address: string | undefined
  /** The name of the database. */
  namespace: string
}

export interface TracesOptions extends TracingOptions {
  /** The public origin: the service's own address, not the Host that a caller sent. */
  baseUrl: string
  database: TracedBackend
  redis: TracedBackend | undefined
}

/** The attributes of every span about a backend. */
function backendAttributes({ system, address, namespace }: TracedBackend): Attributes {
  return { 'db.system.name': system, 'db.namespace': namespace, ...(address && { 'server.address': address }) }
}

/** Creates the service's tracing. */
export function openTraces({ baseUrl, database, redis, ...options }: TracesOptions): Traces {
  const tracing = openTracing(options)
  /** The span of each lead that waits for its commit. */
  const waiting = new WeakMap<NewLead, Span>()
  const onDatabase = (operation: string, more: Attributes = {}) => ({
    kind: SpanKind.CLIENT,
    attributes: { ...backendAttributes(database), 'db.operation.name': operation, ...more },
  })
  const onRedis = {
    kind: SpanKind.CLIENT,
    attributes: { ...(redis && backendAttributes(redis)), 'db.operation.name': 'EVALSHA' },
  }
  const origin = new URL(baseUrl)

  return {
    request: tracing.server((facts) => describeRequest(facts, origin)),
    call: tracing.server(describeCall),
    limiter: (limiter) => ({
      consume: (clientKey) => tracing.around('limit', {}, () => limiter.consume(clientKey)),
      peek: (clientKey) => limiter.peek(clientKey),
      get mode() {
        return limiter.mode
      },
      close: () => limiter.close(),
    }),
    onDecision: (by, allowed) => tracing.note({ 'lead_intake.limit.by': by, 'lead_intake.limit.allowed': allowed }),
    redis: (count) => tracing.around('EVALSHA', onRedis, count),
    store: ({ submit }) => ({
      submit: (lead) =>
        tracing.around('store', {}, async (span) => {
          if (span) waiting.set(lead, span)
          const outcome = await submit(lead)
          span?.setAttribute('lead_intake.outcome', outcome.kind)
          return outcome
        }),
    }),
    commit(leads, commit) {
      const spans = leads.flatMap((lead) => waiting.get(lead) ?? []).filter((span) => span.isRecording())
      const [first, ...others] = spans
      if (!first) return commit()
      const links = others.map((span) => ({ context: span.spanContext() }))
      const insert = onDatabase('INSERT', { 'db.operation.batch.size': leads.length })
      return tracing.below(first, 'commit', { ...insert, links }, (span) => {
        // A span has one parent, so the other leads in the batch are connected by links.
        for (const other of others) other.addLink({ context: span.spanContext() })
        return commit()
      })
    },
    inbox: (inbox) => ({
      ...inbox,
      readAfter: (...args) => tracing.around('read leads', onDatabase('SELECT'), () => inbox.readAfter(...args)),
      find: (id) => tracing.around('find lead', onDatabase('SELECT'), () => inbox.find(id)),
      erase: (...args) => tracing.around('erase lead', onDatabase('UPDATE'), () => inbox.erase(...args)),
    }),
    close: tracing.close,
  }
}

function describeRequest({ requestId, method, route, status, problemCode }: RequestFacts, origin: URL): SpanReport {
  const known = route.startsWith('/')
  return {
    name: known ? `${method} ${route}` : method,
    attributes: {
      'http.request.method': method,
      'http.response.status_code': status,
      'lead_intake.request_id': requestId,
      'url.scheme': origin.protocol.slice(0, -1),
      'server.address': origin.hostname,
      // The matched route. For an unknown path, nothing: it is the caller's text.
      ...(known && { 'http.route': route, 'url.path': route }),
      ...(problemCode && { 'lead_intake.problem': problemCode }),
    },
    errorType: status >= 500 ? (problemCode ?? String(status)) : undefined,
  }
}

function describeCall({ requestId, service, method, code }: CallFacts): SpanReport {
  return {
    name: `${service}/${method}`,
    attributes: {
      'rpc.system.name': 'connectrpc',
      'rpc.method': `${service}/${method}`,
      'rpc.response.status_code': code,
      'lead_intake.request_id': requestId,
    },
    errorType: failures.has(code) ? code : undefined,
  }
}
