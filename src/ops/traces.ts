import type { IncomingHttpHeaders } from 'node:http'
import {
  type Attributes,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { settleWithin } from '../deadline.ts'
import { version } from '../version.ts'
import type { Logger } from './log.ts'

/** A request or call. `failed` is set if the service was the cause. One that could not be parsed has no headers. */
interface ServedRequest {
  name: string
  requestId: string
  seconds: number | undefined
  failed: boolean
  headers: IncomingHttpHeaders | undefined
  attributes: Attributes
}

/** Sends a span of each request and call in batches. The SDK reads `OTEL_*`, keeps 2,048 spans, and drops the rest. */
export function createTraces(log: Logger) {
  const warned = new Set<string>()
  function warnOnce(text: string, facts: object = {}) {
    if (!warned.has(text)) log.warn(facts, text)
    warned.add(text)
  }
  const warnOfSdk = (text: string) => warnOnce(`OpenTelemetry: ${text.replaceAll(/\S*@\S*/g, '…')}`)
  const ignore = () => {}
  diag.setLogger({ error: warnOfSdk, warn: warnOfSdk, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN)
  setGlobalErrorHandler((err) => warnOnce('traces cannot be sent', { err }))
  const processor = new BatchSpanProcessor(new OTLPTraceExporter())
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'lead-intake', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] })
  const tracer = provider.getTracer('lead-intake', version)
  const propagator = new W3CTraceContextPropagator()

  return {
    record({ name, requestId, seconds = 0, failed, headers, attributes }: ServedRequest) {
      const end = Date.now()
      // `tracestate` is left out, because it may contain any text of the caller.
      const parent = propagator.extract(ROOT_CONTEXT, { traceparent: headers?.traceparent }, defaultTextMapGetter)
      const startTime = end - seconds * 1_000
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime, attributes }, parent)
      span.setAttribute('lead_intake.request_id', requestId)
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(end)
    },
    /** Sends what is left, if the collector takes it within two seconds. */
    async close(): Promise<void> {
      await settleWithin(2_000, provider.shutdown()).catch(() => {})
    },
  }
}
