import type { Environment } from './reader.ts'
import type { Given } from './settings.ts'

/** The protocol in which spans are sent. */
const spoken = 'http/json'

/** Whether spans are sent, by OpenTelemetry's own variables, and a warning of each that asks for something else. */
export function readTraces(given: Given, env: Environment): { isOn: boolean; warnings: string[] } {
  const off = { isOn: false, warnings: [] }
  const read = (name: string) => env[name]?.trim().toLowerCase() || undefined
  if (!read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') && !given.OTEL_EXPORTER_OTLP_ENDPOINT) return off
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (read('OTEL_SDK_DISABLED') === 'true' || exporter === 'none') return off
  if (exporter !== 'otlp') {
    return { isOn: false, warnings: [`OTEL_TRACES_EXPORTER: expected otlp or none; no traces are sent to ${exporter}`] }
  }
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find((each) => read(each) !== undefined)
  const isOther = name !== undefined && read(name) !== spoken
  return {
    isOn: true,
    warnings: isOther ? [`${name}: traces are sent as ${spoken}, the only supported protocol`] : [],
  }
}
