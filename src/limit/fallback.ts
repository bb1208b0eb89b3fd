import {
  createDecision,
  type DecidedBy,
  type Decision,
  type Limiter,
  type LimiterEvents,
  type Policy,
  type Usage,
} from './decision.ts'
import { createMemoryCounter } from './memory.ts'
import type { RedisCounter } from './redis.ts'
import { WindowTable } from './window-table.ts'

/** How often a Redis that was given up is looked at. */
const probeIntervalMs = 500

export interface FallbackLimiterOptions {
  shared: RedisCounter
  policy: Policy
  /** How many replicas count on the same Redis. */
  replicas: number
  /** Milliseconds on a clock that is not set back. */
  now: () => number
  events: LimiterEvents
}

/** What one replica admits while none knows of the others: the limit divided by their number, and at least 1. */
export function replicaShare(policy: Policy, replicas: number): Policy {
  return { ...policy, limit: Math.max(1, Math.floor(policy.limit / replicas)) }
}

/**
 * The limiter of many replicas. While Redis answers in time it decides; the first check that fails is decided by this
 * process's own memory and so are all after it, at once, until a probe in the background finds Redis in order. A client
 * that has used up its limit is refused from memory in either mode. Resolves after the first probe.
 */
export async function openFallbackLimiter(options: FallbackLimiterOptions): Promise<Limiter> {
  const { shared, policy, now, events } = options
  const localPolicy = replicaShare(policy, options.replicas)
  const local = createMemoryCounter(localPolicy, now)
  const usedUp = new WindowTable(policy.windowSeconds * 1000)
  let mode: Limiter['mode'] = 'shared'
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function enter(next: Limiter['mode'], cause?: Error) {
    mode = next
    events.onModeChange(next, cause)
    if (next === 'fallback') probeLater()
  }

  function probeLater() {
    if (!closed) timer = setTimeout(probe, probeIntervalMs).unref()
  }

  async function probe() {
    try {
      await shared.probe()
    } catch {
      probeLater()
      return
    }
    if (!closed) enter('shared')
  }

  function decide(enforced: Policy, usage: Usage, by: DecidedBy): Decision {
    const decision = createDecision(enforced, usage)
    events.onDecision(by, decision.allowed)
    return decision
  }

  async function countShared(clientKey: string): Promise<Usage | undefined> {
    let usage: Usage
    try {
      usage = await shared.count(clientKey)
    } catch (error) {
      if (mode === 'shared' && !closed) enter('fallback', error as Error)
      return undefined
    }
    if (usage.used >= policy.limit) {
      const nowMs = now()
      usedUp.set(clientKey, { used: usage.used, endsAtMs: nowMs + usage.msLeft }, nowMs)
    }
    return usage
  }

  try {
    await shared.probe()
    enter('shared')
  } catch (error) {
    enter('fallback', error as Error)
  }

  return {
    async consume(clientKey) {
      const nowMs = now()
      const known = usedUp.get(clientKey, nowMs)
      if (known) return decide(policy, { used: policy.limit + 1, msLeft: known.endsAtMs - nowMs }, 'block')
      const usage = mode === 'shared' ? await countShared(clientKey) : undefined
      return usage ? decide(policy, usage, 'shared') : decide(localPolicy, local.count(clientKey), 'fallback')
    },
    get mode() {
      return mode
    },
    async close() {
      closed = true
      clearTimeout(timer)
      shared.close()
    },
  }
}
