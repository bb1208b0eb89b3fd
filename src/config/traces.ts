import type { Environment } from './reader.ts'
import type { Given } from './settings.ts'

/** Whether OpenTelemetry's variables ask for spans, and a warning if they ask for something unsupported. */
export function readTraces(given: Given, env: Environment): { isOn: boolean; warnings: string[] } {
  const read = (name: string) => env[name]?.trim().toLowerCase() || undefined
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  const hasAddress = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || given.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!hasAddress || read('OTEL_SDK_DISABLED') === 'true' || exporter === 'none') return { isOn: false, warnings: [] }
  if (exporter !== 'otlp')
    return { isOn: false, warnings: [`OTEL_TRACES_EXPORTER: expected otlp or none; no traces are sent to ${exporter}`] }
  const name = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(read)
  const isOther = name !== undefined && read(name) !== 'http/json'
  return { isOn: true, warnings: isOther ? [`${name}: traces are sent as http/json, the only supported protocol`] : [] }
}
