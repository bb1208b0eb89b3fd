/** A trace that took as long as a bucket of a histogram says (OpenMetrics 1.0, exemplars). */
export interface Exemplar {
  traceId: string
  seconds: number
  atSeconds: number
}

/** The latest trace of each bucket of a histogram. */
export interface Exemplars {
  add(labels: Readonly<Record<string, string>>, seconds: number, traceId: string): void
  /** By the beginning of the sample line that it belongs to, up to its value. */
  bySample(): ReadonlyMap<string, Exemplar>
}

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** Whether a scraper takes OpenMetrics (RFC 9110 §12.5.1). Prometheus lists it first where it does. */
export function takesOpenMetrics(accept: string | undefined): boolean {
  return accept?.includes('application/openmetrics-text') === true
}

/** Keeps exemplars of the histogram `metric`: one for each of its buckets. */
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
 * Turns the text format 0.0.4 into OpenMetrics. The library can write either, but a registry of one kind cannot write the
 * other, and which one is wanted depends on the scraper.
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
