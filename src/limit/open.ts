import { createClientKey } from './client-key.ts'
import { decideForClient, type Limiter, type LimiterEvents, type Policy } from './decision.ts'
import { openFallbackLimiter } from './fallback.ts'
import { createMemoryCounter } from './memory.ts'
import type { RedisClient } from './redis-client.ts'

export interface LimiterOptions {
  policy: Policy
  /** The Redis that counts for all replicas, closed with the limiter; undefined: this process counts for itself. */
  redis?: RedisClient | undefined
  /** How many replicas share the limit. */
  replicas: number
  /** Keys the hash of client networks that Redis sees, the same on every replica. */
  secret?: string | undefined
  events: LimiterEvents
  /** Runs one count on Redis; left out: no traces. */
  traceRedis?: (<T>(count: () => Promise<T>) => Promise<T>) | undefined
  /** How long Redis may take before it counts as absent; left out: 50 ms. A test of anything else can allow for a slow machine. */
  deadlineMs?: number | undefined
  /** Milliseconds on a clock that is not set back. */
  now?: (() => number) | undefined
}

/**
 * The key of the hash where no secret is set. Redis then holds no address in plain text, but somebody who can read Redis
 * and this line can find every IPv4 address by trying them all.
 */
const publicSecret = 'lead-intake'

/** Opens the limiter of submissions. With Redis away it starts on its fallback. */
export async function openLimiter(options: LimiterOptions): Promise<Limiter> {
  const { policy, redis, replicas, secret = publicSecret, events, traceRedis, deadlineMs } = options
  const { now = () => performance.now() } = options
  if (redis === undefined) return createLocalLimiter(policy, now, events)

  // Loaded on demand: a start without Redis need not spend the time that the library takes.
  const { createRedisCounter } = await import('./redis.ts')
  const counter = createRedisCounter({ client: redis, policy, hashKey: createClientKey(secret), deadlineMs })
  await counter.settled()
  const shared = traceRedis
    ? { ...counter, count: (clientKey: string) => traceRedis(() => counter.count(clientKey)) }
    : counter
  return openFallbackLimiter({ shared, policy, replicas, now, events })
}

function createLocalLimiter(policy: Policy, now: () => number, events: LimiterEvents): Limiter {
  const counter = createMemoryCounter(policy, now)
  events.onModeChange('local', undefined)
  return {
    mode: 'local',
    async consume(clientKey) {
      const decision = decideForClient(policy, counter.count(clientKey))
      events.onDecision('local', decision.allowed)
      return decision
    },
    async peek(clientKey) {
      return decideForClient(policy, counter.peek(clientKey))
    },
    async close() {},
  }
}
