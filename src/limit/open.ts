import { createClientKey } from './client-key.ts'
import { decideForClient, type Limiter, type LimiterEvents, type Policy } from './decision.ts'
import { openFallbackLimiter } from './fallback.ts'
import { createMemoryCounter } from './memory.ts'
import type { RedisClient } from './redis-client.ts'

export interface LimiterOptions {
  policy: Policy
  /** The Redis shared by all replicas, closed together with the limiter. Undefined: this process counts on its own. */
  redis?: RedisClient | undefined
  /** How many replicas share the limit. */
  replicas: number
  /** The key for hashing client networks before Redis sees them. Must be the same on every replica. */
  secret?: string | undefined
  events: LimiterEvents
  /**
   * How long Redis may take before it counts as unavailable, in milliseconds. Default: 50. Tests can raise it for slow
   * machines.
   */
  deadlineMs?: number | undefined
  /** A monotonic clock, in milliseconds. */
  now?: (() => number) | undefined
}

/**
 * The hash key when no secret is configured. Redis then contains no plain addresses, but anyone who can read Redis and
 * this source can recover IPv4 addresses by trying all of them.
 */
const publicSecret = 'lead-intake'

/** Opens the submission limiter. Starts in fallback mode when Redis is unavailable. */
export async function openLimiter(options: LimiterOptions): Promise<Limiter> {
  const { policy, redis, replicas, secret = publicSecret, events, deadlineMs } = options
  const { now = () => performance.now() } = options
  if (redis === undefined) return createLocalLimiter(policy, now, events)

  // Loaded on demand, to keep a start without Redis fast.
  const { createRedisCounter } = await import('./redis.ts')
  const shared = createRedisCounter({ client: redis, policy, hashKey: createClientKey(secret), deadlineMs })
  await shared.settled()
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
