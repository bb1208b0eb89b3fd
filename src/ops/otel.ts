import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../config/tracing.ts'
import type { StartServerSpan } from '../trace.ts'

export interface TracingOptions {
  settings: TracingSettings
  /** The version of the service. */
  version: string
  /** Traces could not be sent. */
  onError(error: unknown): void
}

/** What a server span ends with. Nothing of it is a caller's text. */
export interface SpanReport {
  name: string
  attributes: Attributes
  /** What went wrong on our side; undefined: nothing did. */
  errorType: string | undefined
}

/** Takes traces and sends them by OTLP over HTTP. Only files of ops/ use it; the other folders know trace.ts. */
export interface Tracing {
  /** Begins the spans of requests; `describe` says how one ends. */
  server<Report>(describe: (report: Report) => SpanReport): StartServerSpan<Report>
  /** Runs work as a child of the active span; without one, the work is nobody's trace and runs as it is. */
  around<T>(name: string, options: SpanOptions, work: (span: Span | undefined) => Promise<T>): Promise<T>
  /** Runs work as a child of a given span. */
  below<T>(parent: Span, name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** Adds to the active span. */
  note(attributes: Attributes): void
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>
}

/** A collector that is away must not hold up a stop. */
const closeMs = 2_000

/** Opens the SDK without registering anything globally. It reads OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. */
export function openTracing({ settings, version, onError }: TracingOptions): Tracing {
  setGlobalErrorHandler(onError)
  const provider = createProvider(settings, version)
  const tracer: Tracer = provider.getTracer('lead-intake', version)
  const active = new AsyncLocalStorage<Context>()

  async function run<T>(context: Context, span: Span, work: (span: Span) => Promise<T>): Promise<T> {
    try {
      return await active.run(context, work, span)
    } catch (error) {
      fail(span, errorType(error))
      throw error
    } finally {
      span.end()
    }
  }

  function begin<T>(parent: Context, name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const span = tracer.startSpan(name, options, parent)
    return run(trace.setSpan(parent, span), span, work)
  }

  return {
    server: (describe) => (headers) => {
      const parent = remoteParent(headers.traceparent)
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent)
      const context = trace.setSpan(parent, span)
      return {
        traceId: span.spanContext().traceId,
        isSampled: span.isRecording(),
        run: (work) => active.run(context, work),
        end(report) {
          const { name, attributes, errorType } = describe(report)
          span.updateName(name).setAttributes(attributes)
          if (errorType !== undefined) fail(span, errorType)
          span.end()
        },
      }
    },
    around(name, options, work) {
      const parent = active.getStore()
      return parent === undefined ? work(undefined) : begin(parent, name, options, work)
    },
    below: (parent, name, options, work) => begin(trace.setSpan(ROOT_CONTEXT, parent), name, options, work),
    note(attributes) {
      const context = active.getStore()
      if (context) trace.getSpan(context)?.setAttributes(attributes)
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, closeMs)
      await Promise.race([provider.shutdown().catch(onError), promise])
      clearTimeout(timer)
    },
  }
}

function createProvider({ sampler, batch }: TracingSettings, version: string): TracerProvider {
  const own = { 'service.name': 'lead-intake', 'service.version': version, 'service.instance.id': randomUUID() }
  const root = new TraceIdRatioBasedSampler(sampler.ratio)
  return new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: sampler.parentBased ? new ParentBasedSampler({ root }) : root,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batch })],
  })
}

/** The caller's span. Its `tracestate` is text of the caller's, and goes nowhere. */
function remoteParent(traceparent: string | string[] | undefined): Context {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}

/** No message and no stack: drivers put row values into theirs. */
function fail(span: Span, errorType: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorType)
}

/** An error's code, such as `service_unavailable`, `57P01` or `ECONNREFUSED`, or its class. */
function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name ?? typeof error)
}
