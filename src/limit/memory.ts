import { siteNetwork } from './client-key.ts'
import { type ClientUsage, type Policy, sitePolicy, type Usage } from './decision.ts'
import { type ClientWindow, WindowTable } from './window-table.ts'

/** Counts clients' requests in this process. */
export interface MemoryCounter {
  count(clientKey: string): ClientUsage
  /** The usage of a client, without counting a request. */
  peek(clientKey: string): ClientUsage
}

/** The window of a client or site that another counter has started, if known. */
export type WindowBefore = (key: string, of: 'client' | 'site', nowMs: number) => ClientWindow | undefined

/**
 * Counts in windows that start with the first request of a client or site. `now` is a monotonic clock in milliseconds.
 * Library rate limiters start a timer per client and read the system clock themselves.
 */
export function createMemoryCounter(
  policy: Policy,
  now: () => number,
  before: WindowBefore = () => undefined,
): MemoryCounter {
  const windowMs = policy.windowSeconds * 1000
  const siteLimit = sitePolicy(policy).limit
  const windows = new WindowTable(windowMs)

  function countOne(key: string, of: 'client' | 'site', limit: number): Usage {
    const nowMs = now()
    const window = windows.get(key, nowMs) ?? before(key, of, nowMs) ?? { used: 0, endsAtMs: nowMs + windowMs }
    if (window.used <= limit) window.used++
    windows.set(key, window, nowMs)
    return { used: window.used, msLeft: window.endsAtMs - nowMs }
  }

  function peekOne(key: string, of: 'client' | 'site'): Usage {
    const nowMs = now()
    const known = windows.get(key, nowMs) ?? before(key, of, nowMs)
    return known ? { used: known.used, msLeft: known.endsAtMs - nowMs } : { used: 0, msLeft: windowMs }
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
  }
}
