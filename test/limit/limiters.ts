import type { DecidedBy, Limiter, LimiterEvents, Policy } from '../../src/limit/decision.ts'
import { openLimiter } from '../../src/limit/open.ts'
import { createRedisClient } from '../../src/limit/redis-client.ts'
import type { RedisOptions } from '../../src/limit/redis-options.ts'

export const policy: Policy = { limit: 10, windowSeconds: 60 }

/** A clock that tests set, in milliseconds. */
export interface Clock {
  nowMs: number
}

/** For tests that are not about a slow Redis: allows for a busy machine. */
export const patient = { deadlineMs: 5000 }

/** A limiter and its recorded events. */
export interface Observed extends AsyncDisposable {
  limiter: Limiter
  clock: Clock
  modes: { mode: Limiter['mode']; cause: Error | undefined }[]
  /** Why each probe so far has failed. */
  probeFailures: Error[]
  decidedBy: DecidedBy[]
  /** Resolves when the limiter is in this mode. Fails the test after ten seconds. */
  reaches(mode: Limiter['mode']): Promise<void>
}

export async function observe({
  redis,
  ...options
}: {
  redis?: RedisOptions
  replicas?: number
  secret?: string
  deadlineMs?: number
} = {}): Promise<Observed> {
  const clock = { nowMs: 1_000_000 }
  const modes: Observed['modes'] = []
  const probeFailures: Error[] = []
  const decidedBy: DecidedBy[] = []
  const waiting = new Set<() => void>()
  const events: LimiterEvents = {
    onModeChange(mode, cause) {
      modes.push({ mode, cause })
      for (const look of waiting) look()
    },
    onProbeFailure: (cause) => probeFailures.push(cause),
    onDecision: (by) => decidedBy.push(by),
  }
  const limiter = await openLimiter({
    policy,
    replicas: 1,
    redis: redis && createRedisClient(redis),
    ...options,
    events,
    now: () => clock.nowMs,
  })
  return {
    limiter,
    clock,
    modes,
    probeFailures,
    decidedBy,
    reaches: (mode) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not ${mode} within ten seconds`)), 10_000)
        const look = () => {
          if (limiter.mode !== mode) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
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
