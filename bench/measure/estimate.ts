import type { Sample } from './sample.ts'

/** The number of rounds. The estimator is fixed: the median over rounds, for each figure and each ratio. */
export const rounds = 5

/** The results of a sample. CPU in seconds per 1,000 counted answers, latency in milliseconds. */
export interface Figures {
  perSecond: number
  p50: number
  p99: number
  serverCpu: number
  postgresCpu: number
  redisCpu: number
  /** Server, PostgreSQL and Redis together. */
  allCpu: number
}

const figureOf: Readonly<Record<keyof Figures, (sample: Sample) => number>> = {
  perSecond: ({ counted, seconds }) => counted / seconds,
  p50: ({ p50 }) => p50,
  p99: ({ p99 }) => p99,
  serverCpu: ({ cpu, counted }) => (cpu.server / counted) * 1000,
  postgresCpu: ({ cpu, counted }) => (cpu.postgres / counted) * 1000,
  redisCpu: ({ cpu, counted }) => (cpu.redis / counted) * 1000,
  allCpu: ({ cpu, counted }) => ((cpu.server + cpu.postgres + cpu.redis) / counted) * 1000,
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** The median of each figure over the rounds. */
export function estimate(samples: readonly Sample[]): Figures {
  const entries = Object.entries(figureOf).map(([name, figure]) => [name, median(samples.map(figure))])
  return Object.fromEntries(entries)
}

/** The median ratio of a figure to another server's in the same round. This cancels drift of the machine. */
export function estimateRatio(name: keyof Figures, samples: readonly Sample[], against: readonly Sample[]): number {
  const figure = figureOf[name]
  return median(samples.map((sample, round) => figure(sample) / figure(against[round] as Sample)))
}
