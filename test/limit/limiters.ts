import type { Limiter, Policy } from '../../src/limit/decision.ts'
import { openLimiter } from '../../src/limit/limiter.ts'
import { createRedisClient, type RedisOptions } from '../../src/limit/redis-client.ts'
import { until } from '../support/until.ts'

export const policy: Policy = { limit: 10, windowSeconds: 60 }

/** For tests that are not about a slow Redis: time for a busy machine, in milliseconds. */
export const patience = 10_000

/** Nothing listens here. */
export const nowhere: RedisOptions = { kind: 'single', url: 'redis://127.0.0.1:1' }

/** A limiter and its recorded events. */
export interface Observed extends AsyncDisposable {
  limiter: Limiter
  modes: Limiter['mode'][]
  /** Why each probe so far has failed. */
  probeFailures: Error[]
  decidedBy: Limiter['mode'][]
  /** Resolves when the limiter is in this mode. */
  reaches(mode: Limiter['mode']): Promise<unknown>
}

export async function observe({
  redis,
  replicas = 1,
  secret,
  answerMs = patience,
}: {
  redis?: RedisOptions
  replicas?: number
  secret?: string
  answerMs?: number
} = {}): Promise<Observed> {
  const modes: Observed['modes'] = []
  const probeFailures: Error[] = []
  const decidedBy: Observed['decidedBy'] = []
  const limiter = await openLimiter({
    policy,
    replicas,
    secret,
    redis: redis && createRedisClient(redis),
    answerMs,
    events: {
      onModeChange: (mode) => modes.push(mode),
      onProbeFailure: (cause) => probeFailures.push(cause),
      onDecision: (by) => decidedBy.push(by),
    },
  })
  return {
    limiter,
    modes,
    probeFailures,
    decidedBy,
    reaches: (mode) => until(`the limiter is ${mode}`, () => limiter.mode === mode),
    [Symbol.asyncDispose]: () => limiter.close(),
  }
}

/** How many of this many concurrent requests are allowed. */
export async function allowedOf(count: number, limiters: readonly Limiter[], clientKey: string): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: count }, (_, i) => (limiters[i % limiters.length] as Limiter).consume(clientKey)),
  )
  return decisions.filter(({ allowed }) => allowed).length
}
