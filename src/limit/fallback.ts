import { siteNetwork } from './client-key.ts'
import {
  type ClientUsage,
  createDecision,
  type DecidedBy,
  type Decision,
  decideForClient,
  type Limiter,
  type LimiterEvents,
  type Policy,
  sitePolicy,
  type Usage,
} from './decision.ts'
import { createMemoryCounter } from './memory.ts'
import type { RedisCounter } from './redis.ts'
import { WindowTable } from './window-table.ts'

/** How often Redis is probed in fallback mode, in milliseconds. */
const probeIntervalMs = 500

export interface FallbackLimiterOptions {
  shared: RedisCounter
  policy: Policy
  /** How many replicas share this Redis. */
  replicas: number
  /** A monotonic clock, in milliseconds. */
  now: () => number
  events: LimiterEvents
}

/**
 * The share of the limit that one replica enforces on its own: the limit divided by the number of replicas, at least 1.
 */
export function replicaShare(policy: Policy, replicas: number): Policy {
  return { ...policy, limit: Math.max(1, Math.floor(policy.limit / replicas)) }
}

/**
 * The limiter for several replicas. Redis decides as long as it answers in time. After a failed check, this process
 * decides from its own memory, until a background probe succeeds. In fallback mode, a client starts with the count that
 * Redis last reported. Back in shared mode, what this process admitted meanwhile is added to Redis's count. So no switch
 * gives a client of this process a fresh limit. In both modes, a client known to have exceeded its limit is refused from
 * memory. Resolves after the first probe.
 */
export async function openFallbackLimiter(options: FallbackLimiterOptions): Promise<Limiter> {
  const { shared, policy, now, events } = options
  const policyOfSites = sitePolicy(policy)
  const localPolicy = replicaShare(policy, options.replicas)
  /**
   * What Redis last reported about clients and sites: who is over the limit, and where the fallback starts counting.
   */
  const told = new WindowTable(policy.windowSeconds * 1000)
  const local = createMemoryCounter(localPolicy, now, (key, of, nowMs) => {
    const window = told.get(key, nowMs)
    if (window === undefined) return undefined
    const [shared, own] = of === 'client' ? [policy, localPolicy] : [policyOfSites, sitePolicy(localPolicy)]
    // The replicas divide what is left of the shared limit, just as they divide the full limit for a new client.
    const left = Math.floor(Math.max(0, shared.limit - window.used) / options.replicas)
    return { used: Math.max(0, own.limit - left), endsAtMs: window.endsAtMs }
  })
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
    } catch (error) {
      if (!closed) events.onProbeFailure(error as Error)
      probeLater()
      return
    }
    if (!closed) enter('shared')
  }

  function report(decision: Decision, by: DecidedBy): Decision {
    events.onDecision(by, decision.allowed)
    return decision
  }

  /** The refusal for a client or a site that is known to have exceeded its limit. */
  function refuseKnown(key: string | undefined, enforced: Policy): Decision | undefined {
    const nowMs = now()
    const known = key === undefined ? undefined : told.get(key, nowMs)
    if (known === undefined || known.used < enforced.limit) return undefined
    return createDecision(enforced, { used: enforced.limit + 1, msLeft: known.endsAtMs - nowMs })
  }

  /** Adds what this process has admitted in fallback mode. */
  function withOwn(key: string, usage: Usage): Usage {
    const nowMs = now()
    const own = local.admitted(key, nowMs)
    if (own === undefined) return usage
    return { used: usage.used + own.used, msLeft: Math.max(usage.msLeft, own.endsAtMs - nowMs) }
  }

  function decideShared(clientKey: string, site: string | undefined, usage: ClientUsage): Decision {
    return decideForClient(policy, {
      client: withOwn(clientKey, usage.client),
      site: site !== undefined && usage.site ? withOwn(site, usage.site) : undefined,
    })
  }

  function remember(key: string | undefined, usage: Usage | undefined): void {
    if (key === undefined || usage === undefined) return
    const nowMs = now()
    told.set(key, { used: usage.used, endsAtMs: nowMs + usage.msLeft }, nowMs)
  }

  try {
    await shared.probe()
    enter('shared')
  } catch (error) {
    enter('fallback', error as Error)
  }

  return {
    async consume(clientKey) {
      const site = siteNetwork(clientKey)
      const refusal = refuseKnown(clientKey, policy) ?? refuseKnown(site, policyOfSites)
      if (refusal) return report(refusal, 'block')
      if (mode === 'shared') {
        try {
          const usage = await shared.count(clientKey)
          remember(clientKey, usage.client)
          remember(site, usage.site)
          return report(decideShared(clientKey, site, usage), 'shared')
        } catch (error) {
          if (mode === 'shared' && !closed) enter('fallback', error as Error)
        }
      }
      return report(decideForClient(localPolicy, local.count(clientKey)), 'fallback')
    },
    async peek(clientKey) {
      const usage = mode === 'shared' ? await shared.peek(clientKey).catch(() => undefined) : undefined
      return usage
        ? decideShared(clientKey, siteNetwork(clientKey), usage)
        : decideForClient(localPolicy, local.peek(clientKey))
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
