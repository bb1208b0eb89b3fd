import { siteNetwork } from './client-key.ts'
import { type ClientUsage, type Policy, sitePolicy, type Usage } from './decision.ts'
import { type ClientWindow, WindowTable } from './window-table.ts'

/** Counts clients' requests in this process. */
export interface MemoryCounter {
  count(clientKey: string): ClientUsage
  /** The usage of a client, without counting a request. */
  peek(clientKey: string): ClientUsage
  /** What this counter itself has admitted for a client or site. Undefined once that window has ended. */
  admitted(key: string, nowMs: number): ClientWindow | undefined
}

/** How much of a client's or site's limit here is used up by what another counter has counted. Undefined if unknown. */
export type UsedElsewhere = (key: string, of: 'client' | 'site', nowMs: number) => ClientWindow | undefined

/**
 * Counts in windows that start with the first request of a client or site. `now` is a monotonic clock in milliseconds.
 * Library rate limiters start a timer per client and read the system clock themselves.
 */
export function createMemoryCounter(
  policy: Policy,
  now: () => number,
  usedElsewhere: UsedElsewhere = () => undefined,
): MemoryCounter {
  const windowMs = policy.windowSeconds * 1000
  const siteLimit = sitePolicy(policy).limit
  const windows = new WindowTable(windowMs)

  function countOne(key: string, of: 'client' | 'site', limit: number): Usage {
    const nowMs = now()
    const elsewhere = usedElsewhere(key, of, nowMs)
    const window = windows.get(key, nowMs) ?? { used: 0, endsAtMs: elsewhere?.endsAtMs ?? nowMs + windowMs }
    const used = Math.min(limit, window.used + (elsewhere?.used ?? 0)) + 1
    if (used <= limit) window.used++
    // Also after a refusal: in a flood, the table forgets the clients that were stored the longest ago.
    windows.set(key, window, nowMs)
    return { used, msLeft: Math.max(window.endsAtMs, elsewhere?.endsAtMs ?? 0) - nowMs }
  }

  function peekOne(key: string, of: 'client' | 'site'): Usage {
    const nowMs = now()
    const known = [windows.get(key, nowMs), usedElsewhere(key, of, nowMs)].filter((window) => window !== undefined)
    if (known.length === 0) return { used: 0, msLeft: windowMs }
    const used = known.reduce((sum, window) => sum + window.used, 0)
    return { used, msLeft: Math.max(...known.map(({ endsAtMs }) => endsAtMs)) - nowMs }
  }

  return {
    count(clientKey) {
      const client = countOne(clientKey, 'client', policy.limit)
      const site = client.used <= policy.limit ? siteNetwork(clientKey) : undefined
      return { client, site: site === undefined ? undefined : countOne(site, 'site', siteLimit) }
    },
    peek(clientKey) {
      const site = siteNetwork(clientKey)
      return { client: peekOne(clientKey, 'client'), site: site === undefined ? undefined : peekOne(site, 'site') }
    },
    admitted: (key, nowMs) => windows.get(key, nowMs),
  }
}
