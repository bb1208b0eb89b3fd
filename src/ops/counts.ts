import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { createChildren } from './children.ts'

/** Counts at the cost of an addition; the library, which looks its labels up each time, gets the sum when it is read. */
class Tally {
  readonly labels: readonly string[]
  #count = 0

  constructor(labels: readonly string[]) {
    this.labels = labels
  }

  inc(): void {
    this.#count++
  }

  /** What was counted since the last time. */
  take(): number {
    const count = this.#count
    this.#count = 0
    return count
  }
}

/**
 * Makes metrics of a registry. A child that is asked for once is there from then on, with 0: Prometheus sees no increase
 * in a series that is born with its first event, so whoever knows a combination of labels asks for it at the start.
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
      const metric = new Histogram({ name, help, labelNames, buckets, registers })
      return createChildren((...labels) => {
        metric.zero(Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])))
        return metric.labels(...labels)
      })
    },
    gauge: (name: string, help: string, labelNames: readonly string[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    /** A gauge that is asked on each scrape. */
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
