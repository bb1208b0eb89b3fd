import type { Policy, Usage } from './decision.ts'
import { WindowTable } from './window-table.ts'

/** Counts the requests of clients in this process. */
export interface MemoryCounter {
  count(clientKey: string): Usage
}

/**
 * Counts in windows that start with a client's first request. `now` gives milliseconds on a clock that is not set back.
 * Not the library's limiter: that one starts a timer for each client and reads the time itself.
 */
export function createMemoryCounter({ limit, windowSeconds }: Policy, now: () => number): MemoryCounter {
  const windowMs = windowSeconds * 1000
  const windows = new WindowTable(windowMs)
  return {
    count(clientKey) {
      const nowMs = now()
      const known = windows.get(clientKey, nowMs)
      if (known === undefined) {
        windows.set(clientKey, { used: 1, endsAtMs: nowMs + windowMs }, nowMs)
        return { used: 1, msLeft: windowMs }
      }
      if (known.used <= limit) known.used++
      return { used: known.used, msLeft: known.endsAtMs - nowMs }
    },
  }
}
