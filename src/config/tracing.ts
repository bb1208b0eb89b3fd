import type { Settings, Values, ValueType } from './setting.ts'
import { flag, oneOf, wholeNumber } from './types.ts'

/** How traces are sampled and exported. The SDK's exporter reads its destination from the environment itself. */
export interface TracingSettings {
  sampler: {
    /** The share of traces to record, 0 to 1. */
    ratio: number
    /** Whether a caller's own sampling decision is followed. */
    parentBased: boolean
  }
  /** In milliseconds and numbers of spans. Undefined: the SDK's default. */
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

const milliseconds = wholeNumber('milliseconds', 1, 600_000)
const spans = wholeNumber('spans', 1, 1_000_000)
const protocol = oneOf('http/protobuf')

/** The standard OpenTelemetry variables that turn traces on and configure them. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: { type: flag, default: 'false', meaning: '`true` turns traces off' },
  OTEL_TRACES_EXPORTER: {
    type: oneOf('otlp', 'none'),
    meaning: '`otlp` turns traces on; without an endpoint they go to this machine',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: { type: httpUrl, meaning: 'where traces are sent, without `/v1/traces`; turns them on' },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { type: httpUrl, meaning: 'the same, with the full path' },
  OTEL_EXPORTER_OTLP_PROTOCOL: { type: protocol, default: 'http/protobuf', meaning: 'the only protocol supported' },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    type: protocol,
    default: 'http/protobuf',
    meaning: 'the only protocol supported',
  },
  OTEL_TRACES_SAMPLER: {
    type: oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    default: 'parentbased_traceidratio',
    meaning: 'which traces are recorded',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    type: ratio,
    default: '0.1',
    meaning: 'the share that a `traceidratio` sampler records, 0 to 1; recording every trace costs 40% more CPU',
  },
  OTEL_BSP_SCHEDULE_DELAY: { type: milliseconds, otherwise: "the SDK's", meaning: 'milliseconds between batches' },
  OTEL_BSP_EXPORT_TIMEOUT: {
    type: milliseconds,
    otherwise: "the SDK's",
    meaning: 'how long sending a batch may take, in milliseconds',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: { type: spans, otherwise: "the SDK's", meaning: 'how many spans may wait' },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: { type: spans, otherwise: "the SDK's", meaning: 'how many spans a batch may hold' },
} as const satisfies Settings

/** The tracing settings. Undefined: tracing is off, because neither an exporter nor an endpoint is set. */
export function createTracing(given: Values<typeof tracingSettings>): TracingSettings | undefined {
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_TRACES_SAMPLER: sampler } = given
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const named = exporter === 'otlp' || (exporter === undefined && endpoint !== undefined)
  if (!named || given.OTEL_SDK_DISABLED) return undefined
  const share = given.OTEL_TRACES_SAMPLER_ARG
  return {
    sampler: {
      ratio: sampler.endsWith('always_off') ? 0 : sampler.endsWith('always_on') ? 1 : share,
      parentBased: sampler.startsWith('parentbased_'),
    },
    batch: {
      scheduledDelayMillis: given.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: given.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: given.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: given.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
  }
}
