import { Counter, Gauge, type Registry } from 'prom-client'
import { createChildren } from './children.ts'
import { registerHistogram } from './histogram.ts'

/**
 * Counts with a plain addition. The metrics library looks up labels on every increment, so it gets the sum at a scrape.
 */
class Tally {
  readonly labels: readonly string[]
  #count = 0

  constructor(labels: readonly string[]) {
    this.labels = labels
  }

  inc(): void {
    this.#count++
  }

  /** Returns the count since the last call, and resets it. */
  take(): number {
    const count = this.#count
    this.#count = 0
    return count
  }
}

/**
 * Creates metrics in a registry. Requesting a child creates its series at 0. Prometheus sees no increase in a series
 * that first appears at 1, so create the children for all known labels at the start.
 */
export function createCounts(registry: Registry) {
  const registers = [registry]
  return {
    counter(name: string, help: string, labelNames: readonly string[] = []) {
      const tallies: Tally[] = []
      const collect = () => {
        for (const tally of tallies) metric.labels(...tally.labels).inc(tally.take())
      }
      const metric = new Counter({ name, help, labelNames, registers, collect })
      return createChildren((...labels) => {
        const tally = new Tally(labels)
        tallies.push(tally)
        return tally
      })
    },
    histogram(name: string, help: string, labelNames: readonly string[], buckets: number[]) {
      const createSeries = registerHistogram(registry, { name, help, buckets })
      return createChildren((...labels) =>
        createSeries(Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? '']))),
      )
    },
    gauge: (name: string, help: string, labelNames: readonly string[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    /** A 0/1 gauge that is evaluated at each scrape. */
    flag: (name: string, help: string, read: () => Promise<boolean>) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set((await read()) ? 1 : 0)
        },
      }),
  }
}
