import type { EnvironmentReader, ValueType } from './reader.ts'
import { flag, oneOf, wholeNumber } from './types.ts'

/** How traces are taken and sent. Where they are sent to is read by the SDK's exporter itself. */
export interface TracingSettings {
  sampler: {
    /** The share of traces that are taken, 0 to 1. */
    ratio: number
    /** A caller that has a trace has decided whether it is taken. */
    parentBased: boolean
  }
  /** Milliseconds and numbers of spans; undefined: the SDK's defaults. */
  batch: {
    scheduledDelayMillis: number | undefined
    exportTimeoutMillis: number | undefined
    maxQueueSize: number | undefined
    maxExportBatchSize: number | undefined
  }
}

const ratio: ValueType<number> = {
  expected: 'a number from 0 to 1',
  parse(text) {
    if (!/^(0|1|0?\.\d+|1\.0+|0\.\d*)$/.test(text)) throw new TypeError('not a ratio')
    return Number(text)
  },
}

const httpUrl: ValueType<string> = {
  expected: 'an http or https URL',
  parse(text) {
    if (!/^https?:$/.test(new URL(text).protocol)) throw new TypeError('not of HTTP')
    return text
  },
}

/**
 * Reads the standard variables of OpenTelemetry that decide whether there are traces, and which. Undefined: none, which
 * is so until an exporter or an endpoint is named.
 */
export function readTracing(read: EnvironmentReader): TracingSettings | undefined {
  const disabled = read.value('OTEL_SDK_DISABLED', flag) ?? false
  const exporter = read.value('OTEL_TRACES_EXPORTER', oneOf('otlp', 'none'))
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map((name) =>
    read.value(name, httpUrl),
  )
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    read.value(name, oneOf('http/protobuf'))
  }
  const settings = { sampler: readSampler(read), batch: readBatch(read) }
  const named = exporter === 'otlp' || (exporter === undefined && endpoints.some((endpoint) => endpoint !== undefined))
  return named && !disabled ? settings : undefined
}

function readSampler(read: EnvironmentReader): TracingSettings['sampler'] {
  const roots = ['always_on', 'always_off', 'traceidratio'] as const
  const parentBased = ['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const
  const name = read.value('OTEL_TRACES_SAMPLER', oneOf(...roots, ...parentBased)) ?? 'parentbased_always_on'
  const share = read.value('OTEL_TRACES_SAMPLER_ARG', ratio) ?? 1
  return {
    ratio: name.endsWith('always_off') ? 0 : name.endsWith('always_on') ? 1 : share,
    parentBased: name.startsWith('parentbased_'),
  }
}

function readBatch(read: EnvironmentReader): TracingSettings['batch'] {
  const milliseconds = wholeNumber('milliseconds', 1, 600_000)
  const spans = wholeNumber('spans', 1, 1_000_000)
  return {
    scheduledDelayMillis: read.value('OTEL_BSP_SCHEDULE_DELAY', milliseconds),
    exportTimeoutMillis: read.value('OTEL_BSP_EXPORT_TIMEOUT', milliseconds),
    maxQueueSize: read.value('OTEL_BSP_MAX_QUEUE_SIZE', spans),
    maxExportBatchSize: read.value('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', spans),
  }
}
