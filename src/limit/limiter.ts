import { hash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../net/client.ts'
import { type Decision, type Policy, replicaShare } from './policy.ts'
import type { RedisConnection } from './redis-connection.ts'
import { createRedisCounts } from './redis-counts.ts'

export interface LimiterOptions {
  policy: Policy
  /** Shared by all replicas, and closed together with the limiter. Without it, this process counts on its own. */
  redis?: RedisConnection | undefined
  replicas: number
  /** The key for hashing clients. Without it, whoever can read Redis can find addresses by trying. */
  secret?: string | undefined
  /** The name of the installation that shares the counts in Redis. Empty if unknown. */
  readInstallation?: () => string
  /** Called with the reason each time Redis does not count, without personal data; without a reason once it does. */
  onTrouble(reason?: string): void
  onDecision(by: CountedBy, allowed: boolean): void
  /** How long Redis may take, in milliseconds (docs/specification.md §6). Tests on slow machines allow more. */
  answerMs?: number | undefined
}

export type Limiter = Awaited<ReturnType<typeof openLimiter>>

/** Who counted: Redis for all replicas, this process without Redis, or this process while Redis is unavailable. */
export type CountedBy = 'shared' | 'local' | 'fallback'

/**
 * Opens the limiter of submissions. With Redis, all replicas count there; what Redis does not count in time, this
 * replica counts by itself and admits its share. Resolves after the first attempt to connect.
 */
export async function openLimiter(options: LimiterOptions) {
  const { policy, redis, replicas, readInstallation = () => '', onTrouble, onDecision, answerMs = 80 } = options
  const hashKey = createHasher(options.secret ?? 'lead-intake')
  const share = redis ? replicaShare(policy, replicas) : policy
  const counts = redis && createRedisCounts(redis, answerMs, onTrouble)
  const decideClient = createCounter(policy, share)
  // All clients of one network (an IPv6 /48) together.
  const decideNetwork = createCounter({ ...policy, limit: 10 * policy.limit }, { ...share, limit: 10 * share.limit })

  /** Creates the function that counts a key and decides: by `whole` in Redis, by `part` in this replica alone. */
  function createCounter(whole: Policy, part: Policy) {
    const here = new MemoryLimiter({ points: part.limit, duration: part.windowSeconds })
    const shared = counts?.createLimiter(whole)
    return async (key: string): Promise<{ decision: Decision; by: CountedBy }> => {
      const fullKey = readInstallation() + key
      // Beyond the limit, the library rejects with the result.
      const counted = await shared?.consume(fullKey).catch((reason: RateLimiterRes | Error) => reason)
      if (counted instanceof RateLimiterRes) return { decision: toDecision(whole, counted), by: 'shared' }
      return { decision: toDecision(part, await here.consume(fullKey)), by: redis ? 'fallback' : 'local' }
    }
  }

  await counts?.waitForFirstAttempt()
  await counts?.findTrouble()

  return {
    /**
     * Counts a request of a client (net/client.ts), then of its network if the client's own limit allows it. Resolves
     * to the tighter decision. Only a hash of the key leaves the process. Never rejects.
     */
    async consume(clientKey: string): Promise<Decision> {
      const network = networkOf(clientKey)
      // Both keys have the network's hash tag, and so the same slot of a Redis Cluster.
      const tag = `{${hashKey(network ?? clientKey)}}`
      let counted = await decideClient(network === undefined ? tag : tag + hashKey(clientKey))
      if (network !== undefined && counted.decision.allowed) {
        const all = await decideNetwork(tag)
        if (!all.decision.allowed || all.decision.remaining < counted.decision.remaining) counted = all
      }
      onDecision(counted.by, counted.decision.allowed)
      return counted.decision
    },
    /** Resolves to the reason if Redis is unavailable. Asks it again after a failure. */
    findTrouble: async () => await counts?.findTrouble(),
    close: () => counts?.close(),
  }
}

/** Pseudonymizes keys. A truncated SHA-256 is safe from length extension, so HMAC is not needed. */
export function createHasher(secret: string): (key: string) => string {
  const prefix = hash('sha256', secret)
  return (key) => hash('sha256', prefix + key, 'base64url').slice(0, 22)
}

function toDecision({ limit, windowSeconds }: Policy, { consumedPoints, msBeforeNext }: RateLimiterRes): Decision {
  // A result has no count if the library refused without asking Redis.
  const used = consumedPoints || limit + 1
  const allowed = used <= limit
  const seconds = Math.min(windowSeconds, Math.ceil(msBeforeNext / 1000))
  // A refused client must not retry at once.
  const resetSeconds = Math.max(allowed ? 0 : 1, seconds)
  return { allowed, limit, remaining: allowed ? limit - used : 0, resetSeconds, windowSeconds }
}

/** Beyond this, the oldest window is forgotten. Nobody gains by it, because each address has a limit of its own. */
export const windowsMax = 50_000

/** Counts in this process, in bounded memory. Resolves even beyond the limit. */
export class MemoryLimiter extends RateLimiterMemory {
  /** The keys in the order in which their windows began. */
  readonly #keys = new Set<string>()
  readonly #oldest = this.#keys.values()

  override async consume(key: string): Promise<RateLimiterRes> {
    const result = await super.consume(key).catch((refusal: RateLimiterRes) => refusal)
    if (result.isFirstInDuration) {
      this.#keys.delete(key)
      this.#keys.add(key)
    }
    if (this.#keys.size > windowsMax) {
      const value = this.#oldest.next().value as string
      this.#keys.delete(value)
      void this.delete(value)
    }
    return result
  }
}
