/** A sampled trace whose duration falls into a bucket of a histogram (OpenMetrics 1.0, exemplars). */
export interface Exemplar {
  traceId: string
  seconds: number
  atSeconds: number
}

/** The latest trace of each bucket of a histogram. */
export interface Exemplars {
  add(labels: Readonly<Record<string, string>>, seconds: number, traceId: string): void
  /** Keyed by the start of the sample line, up to the value. */
  bySample(): ReadonlyMap<string, Exemplar>
}

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** Whether the scraper accepts OpenMetrics (RFC 9110 §12.5.1). Prometheus prefers it when it does. */
export function takesOpenMetrics(accept: string | undefined): boolean {
  return accept?.includes('application/openmetrics-text') === true
}

/** Keeps the latest exemplar of each bucket of the histogram `metric`. */
export function createExemplars(metric: string, buckets: readonly number[], now: () => number = Date.now): Exemplars {
  const latest = new Map<string, Exemplar>()
  return {
    add(labels, seconds, traceId) {
      const le = buckets.find((bucket) => seconds <= bucket) ?? '+Inf'
      const pairs = Object.entries({ le, ...labels }).map(([name, value]) => `${name}="${value}"`)
      latest.set(`${metric}_bucket{${pairs.join(',')}}`, { traceId, seconds, atSeconds: now() / 1_000 })
    },
    bySample: () => latest,
  }
}

/**
 * Converts the text format 0.0.4 to OpenMetrics. The library's registry can only write the one format it was created
 * with, but each scraper may ask for either.
 */
export function toOpenMetrics(text: string, exemplars: ReadonlyMap<string, Exemplar>): string {
  const counters = new Set(Array.from(text.matchAll(/^# TYPE (\w+)_total counter$/gm), ([, name]) => name as string))
  const lines = text.split('\n').flatMap((line) => {
    if (line === '') return []
    const meta = /^(# (?:HELP|TYPE) )(\w+)_total( .*)$/.exec(line)
    if (meta && counters.has(meta[2] as string)) return `${meta[1]}${meta[2]}${meta[3]}`
    const exemplar = exemplars.get(line.slice(0, line.lastIndexOf(' ')))
    if (exemplar === undefined) return line
    return `${line} # {trace_id="${exemplar.traceId}"} ${exemplar.seconds} ${exemplar.atSeconds.toFixed(3)}`
  })
  return `${lines.join('\n')}\n# EOF\n`
}
