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
  /** Called when traces could not be exported. */
  onError(error: unknown): void
}

/** What a server span records at its end. Contains no caller's text. */
export interface SpanReport {
  name: string
  attributes: Attributes
  /** The type of an error on our side. Undefined: none. */
  errorType: string | undefined
}

/** Records traces and exports them with OTLP over HTTP. Only ops/ uses it; other folders use trace.ts. */
export interface Tracing {
  /** Starts the spans of requests. `describe` maps a finished request to what its span records. */
  server<Report>(describe: (report: Report) => SpanReport): StartServerSpan<Report>
  /** Runs work in a child of the active span. Without an active span, runs it untraced. */
  around<T>(name: string, options: SpanOptions, work: (span: Span | undefined) => Promise<T>): Promise<T>
  /** Runs work in a child of the given span. */
  below<T>(parent: Span, name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** Adds attributes to the active span. */
  note(attributes: Attributes): void
  /** Exports what is left, for two seconds at most. */
  close(): Promise<void>
}

/** A collector that does not answer must not delay a shutdown. */
const closeMs = 2_000

/**
 * Starts the SDK without registering it globally. It reads OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES.
 */
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

/** The caller's span. Its `tracestate` is dropped, because it is arbitrary text from the caller. */
function remoteParent(traceparent: string | string[] | undefined): Context {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}

/** Records neither message nor stack: drivers put row values into them. */
function fail(span: Span, errorType: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorType)
}

/** The error's code, such as `service_unavailable`, `57P01` or `ECONNREFUSED`, or else its class. */
function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name ?? typeof error)
}
