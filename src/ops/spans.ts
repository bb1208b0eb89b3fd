import { type Attributes, type Span, SpanKind } from '@opentelemetry/api'
import type { LeadStore, NewLead } from '../lead/submission.ts'
import type { DecidedBy, Limiter } from '../limit/decision.ts'
import type { InboxStore } from '../store/inbox.ts'
import type { StartServerSpan } from '../trace.ts'
import { openTracing, type SpanReport, type TracingOptions } from './otel.ts'

/** What a trace tells of a public request: the log line's facts. */
export interface RequestFacts {
  requestId: string
  method: string
  route: string
  status: number
  problemCode: string | undefined
}

/** What a trace tells of a call: the log line's facts. */
export interface CallFacts {
  requestId: string
  service: string
  method: string
  /** `ok` or a Connect code name. */
  code: string
}

/** Traces at the seams of the service (OpenTelemetry semantic conventions 1.45 for HTTP, RPC and databases). */
export interface Traces {
  request: StartServerSpan<RequestFacts>
  call: StartServerSpan<CallFacts>
  limiter(limiter: Limiter): Limiter
  /** Notes who decided a check, when told so while it goes on. */
  onDecision(by: DecidedBy, allowed: boolean): void
  /** One count on Redis. */
  redis<T>(count: () => Promise<T>): Promise<T>
  store(store: LeadStore): LeadStore
  /** One commit of leads that came from `store`. */
  commit<T>(leads: readonly NewLead[], commit: () => Promise<T>): Promise<T>
  inbox(inbox: InboxStore): InboxStore
  close(): Promise<void>
}

/** The Connect codes of failures on our side, as gRPC's conventions have them. */
const failures = new Set(['unknown', 'deadline_exceeded', 'unimplemented', 'internal', 'unavailable', 'data_loss'])

/** Where a backend is, as spans say it. */
export interface TracedBackend {
  /** `sqlite`, `postgresql` or `redis`. */
  system: string
  /** The host; undefined for one that is part of this process, and for a Redis of many hosts. */
  address: string | undefined
  /** The name of the database. */
  namespace: string
}

export interface TracesOptions extends TracingOptions {
  /** The public origin: the service's own, not what a caller calls it. */
  baseUrl: string
  database: TracedBackend
  redis: TracedBackend | undefined
}

/** The members of every span about a backend. */
function backendAttributes({ system, address, namespace }: TracedBackend): Attributes {
  return { 'db.system.name': system, 'db.namespace': namespace, ...(address && { 'server.address': address }) }
}

/** Opens the traces of the service. */
export function openTraces({ baseUrl, database, redis, ...options }: TracesOptions): Traces {
  const tracing = openTracing(options)
  /** The spans of the leads that wait for their commit. */
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
        // A commit has one parent, so the other leads that share it find it by a link.
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
      // Our own path; what a caller asked for instead is the caller's text.
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
