import type { Registry } from 'prom-client'

/** A series of a histogram: one combination of labels. */
export interface HistogramSeries {
  observe(value: number): void
}

/** A sample of the text format, as the library's registry takes it. */
interface Sample {
  metricName: string
  labels: Readonly<Record<string, string | number>>
  value: number
}

/**
 * Adds a histogram to a registry. The library's own looks up labels and buckets by name for each observation, which
 * takes as long as the rest of the metrics and the log together. Returns the function that makes a series.
 */
export function registerHistogram(
  registry: Registry,
  { name, help, buckets }: { name: string; help: string; buckets: readonly number[] },
): (labels: Readonly<Record<string, string>>) => HistogramSeries {
  const series: Series[] = []
  const metric = {
    name,
    help,
    type: 'histogram',
    get: async () => ({ name, help, type: 'histogram', values: series.flatMap((one) => one.samples(name)) }),
  }
  registry.registerMetric(metric as never)
  return (labels) => {
    const one = new Series(buckets, labels)
    series.push(one)
    return one
  }
}

class Series implements HistogramSeries {
  readonly #buckets: readonly number[]
  readonly #labels: Readonly<Record<string, string>>
  /** Observations that are in this bucket and in no smaller one. The last one has no upper bound. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(buckets: readonly number[], labels: Readonly<Record<string, string>>) {
    this.#buckets = buckets
    this.#labels = labels
    this.#counts = new Float64Array(buckets.length + 1)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#buckets.length && value > (this.#buckets[at] as number)) at++
    this.#counts[at] = (this.#counts[at] as number) + 1
    this.#sum += value
  }

  /** The cumulative buckets, the sum and the count (Prometheus text format 0.0.4). */
  samples(name: string): Sample[] {
    let count = 0
    const bucketOf = (le: number | string, at: number): Sample => {
      count += this.#counts[at] as number
      return { metricName: `${name}_bucket`, labels: { le, ...this.#labels }, value: count }
    }
    const bounds = [...this.#buckets, '+Inf'].map(bucketOf)
    const rest = (suffix: string, value: number) => ({ metricName: name + suffix, labels: this.#labels, value })
    return [...bounds, rest('_sum', this.#sum), rest('_count', count)]
  }
}
