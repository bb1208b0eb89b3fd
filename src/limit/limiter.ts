import { type RateLimiterAbstract, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from './client-key.ts'
import { createKeyHash } from './key-hash.ts'
import { MemoryCounter } from './memory.ts'
import {
  createDecision,
  type Decision,
  type Limiter,
  networkPolicy,
  type Policy,
  replicaShare,
  tighter,
} from './policy.ts'
import type { RedisConnection } from './redis-connection.ts'
import { createAnswerLimit, createRedisProbe } from './redis-probe.ts'

/** Events of a limiter, for metrics and the log. */
export interface LimiterEvents {
  /** Also called with the initial mode. */
  onModeChange(mode: Limiter['mode']): void
  /** Called for each failed probe, with the reason why Redis cannot count. It contains no personal data. */
  onProbeFailure(cause: Error): void
  /** `by` is the mode of the counter that decided. */
  onDecision(by: Limiter['mode'], allowed: boolean): void
}

export interface LimiterOptions {
  policy: Policy
  /** The Redis shared by all replicas, closed together with the limiter. Undefined: this process counts on its own. */
  redis?: RedisConnection | undefined
  /** How many replicas share the limit. */
  replicas: number
  /** The key for hashing clients and networks. Must be the same on every replica. */
  secret?: string | undefined
  events: LimiterEvents
  /** How long Redis may take before it counts as unavailable, in milliseconds. For tests on slow machines. */
  answerMs?: number | undefined
}

/** The hash key without a secret. Anyone who can read Redis and this source can then find addresses by trying all. */
const publicSecret = 'lead-intake'

const keyPrefix = 'submissionsPerClient'

/** A Redis that takes longer than this to answer counts as unavailable (docs/specification.md §6). */
const usualAnswerMs = 80

/** How often Redis is probed during the fallback, in milliseconds. */
const probeIntervalMs = 500

/** A decision, the mode of the counter that made it, and when its window ends, in Unix milliseconds. */
interface CountedDecision {
  decision: Decision
  by: Limiter['mode']
  endsAtMs: number
}

/** The maximum number of refused clients to remember, about 10 MB. Beyond it, all are forgotten and counted again. */
const maxRefused = 50_000

/**
 * Opens the limiter of submissions. With Redis, all replicas count there. When a check fails or takes too long, this
 * replica counts by itself and admits its share, until a background probe succeeds. Nothing is carried over between the
 * two counts. Resolves after the first probe.
 */
export async function openLimiter(options: LimiterOptions): Promise<Limiter> {
  const { policy, redis, replicas, secret = publicSecret, events, answerMs = usualAnswerMs } = options
  const hashKey = createKeyHash(secret)
  const share = redis ? replicaShare(policy, replicas) : policy
  const decideClient = createCounter(policy, share)
  const decideNetwork = createCounter(networkPolicy(policy), networkPolicy(share))
  const inTime = createAnswerLimit(answerMs)
  const prober = redis && createRedisProbe(redis, keyPrefix, answerMs)
  let mode: Limiter['mode'] = redis ? 'shared' : 'local'
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  /** The clients that have used up their limit. They are not counted again until their window ends. */
  const refused = new Map<string, CountedDecision>()

  /** Creates the function that counts a key and decides: by `whole` in Redis, by `part` in this replica alone. */
  function createCounter(whole: Policy, part: Policy): (key: string) => Promise<CountedDecision> {
    const own = new MemoryCounter({ points: part.limit, duration: whole.windowSeconds })
    const shared =
      redis &&
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix,
        points: whole.limit,
        duration: whole.windowSeconds,
        rejectIfRedisNotReady: true,
      })

    return async (key) => {
      if (shared && mode === 'shared') {
        try {
          return toCounted(whole, await inTime(countOn(shared, key)), 'shared')
        } catch {
          if (mode === 'shared') fallBack(key)
        }
      }
      return toCounted(part, await countOn(own, key), redis ? 'fallback' : 'local')
    }
  }

  /** Counts a client, then its network if the client's own limit allows the request. Returns the tighter decision. */
  async function decide(clientKey: string): Promise<CountedDecision> {
    const network = networkOf(clientKey)
    if (network === undefined) return decideClient(`{${hashKey(clientKey)}}`)
    // Both keys have the network's hash tag, and so the same slot of a Redis Cluster.
    const tag = `{${hashKey(network)}}`
    const client = await decideClient(tag + hashKey(clientKey))
    if (!client.decision.allowed) return client
    const all = await decideNetwork(tag)
    return tighter(client.decision, all.decision) === all.decision ? all : client
  }

  async function count(clientKey: string): Promise<CountedDecision> {
    const counted = await decide(clientKey)
    if (!counted.decision.allowed) {
      if (refused.size >= maxRefused) refused.clear()
      refused.set(clientKey, counted)
    }
    return counted
  }

  function changeMode(next: Limiter['mode']): void {
    mode = next
    refused.clear()
    events.onModeChange(next)
  }

  function fallBack(key: string): void {
    if (isClosed) return
    changeMode('fallback')
    void probe(key)
  }

  async function probe(key: string): Promise<void> {
    const failure = await prober?.run(key)
    if (isClosed) return
    if (failure === undefined) return changeMode('shared')
    if (mode === 'shared') changeMode('fallback')
    events.onProbeFailure(failure)
    timer = setTimeout(() => void probe(key), probeIntervalMs).unref()
  }

  if (prober) {
    await prober.settled()
    await probe('{none}')
  } else {
    changeMode('local')
  }

  return {
    async consume(clientKey) {
      const known = refused.get(clientKey)
      const msLeft = (known?.endsAtMs ?? 0) - Date.now()
      // More than a window is left when the clock was set back.
      const isOver = msLeft <= 0 || msLeft > policy.windowSeconds * 1_000
      const { decision, by } = known && !isOver ? known : await count(clientKey)
      events.onDecision(by, decision.allowed)
      return decision === known?.decision ? createDecision(decision, decision.limit + 1, msLeft) : decision
    },
    get mode() {
      return mode
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      prober?.close()
    },
  }
}

/** Counts a request. Beyond the limit, the library rejects with the result in place of an error. */
async function countOn(counter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  try {
    return await counter.consume(key)
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return outcome
    throw outcome
  }
}

function toCounted(policy: Policy, result: RateLimiterRes, by: Limiter['mode']): CountedDecision {
  const decision = createDecision(policy, result.consumedPoints, result.msBeforeNext)
  return { decision, by, endsAtMs: Date.now() + result.msBeforeNext }
}
