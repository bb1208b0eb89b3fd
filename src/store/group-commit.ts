import { setImmediate, setTimeout } from 'node:timers/promises'
import { startDeadline } from '../deadline.ts'
import { LeadError } from '../lead/error.ts'
import { isTransient } from './database.ts'

export interface GroupCommitOptions<Item, Outcome> {
  /** Commits items, and returns outcomes in their order. Must be repeatable: a rejected commit may have succeeded. */
  commit(items: readonly Item[]): Promise<readonly Outcome[]>
  /** Finds out what rejected commits have done: the outcomes of committed items, and undefined for the others. */
  recheck(items: readonly Item[]): Promise<readonly (Outcome | undefined)[]>
  batchMax: number
  queueMax: number
  /** Maximum time from `add` to the outcome, in milliseconds. */
  deadlineMs: number
  /** The delay after the first transient failure, in milliseconds. It doubles with each further one, up to `max`. */
  backoffMs: { first: number; max: number }
  /**
   * How long after the beginning of the last commit the next one waits for more items, in milliseconds, and how many
   * end the wait, like MySQL's `binlog_group_commit_sync_delay` and `binlog_group_commit_sync_no_delay_count`.
   */
  gather: { ms: number; enough: number }
}

/** The error if a lead could not be stored or looked up in time. A failover of the database usually takes longer. */
export const storeUnavailable = (retryAfterSeconds = 5) => new LeadError('service_unavailable', { retryAfterSeconds })

/**
 * Batches items. One commit runs at a time; items that arrive meanwhile go into the next one. If there was none just
 * before, a commit starts at the end of the event-loop turn in which an item arrives.
 */
export function createGroupCommit<Item, Outcome>(options: GroupCommitOptions<Item, Outcome>) {
  const { commit, recheck, batchMax, queueMax, deadlineMs, backoffMs, gather } = options
  interface Waiter {
    item: Item
    resolve(outcome: Outcome): void
    reject(error: unknown): void
    onLate: ((outcome: Outcome) => void) | undefined
    cancelDeadline(): void
    isExpired: boolean
    /** Whether a commit with this item was rejected, although it may have succeeded. */
    isUnconfirmed: boolean
  }
  let queue: Waiter[] = []
  /** Items that a rejected commit may have stored, and whose callers were answered at the deadline: the oldest ones. */
  let unconfirmed: Waiter[] = []
  let running: Promise<void> | undefined
  /** Whether to recheck the unconfirmed items even if no new item is waiting. */
  let mustSettle = false
  let isClosed = false
  let begunMs = Number.NEGATIVE_INFINITY
  /** Ends the wait for more items, if there is one. */
  let endGathering = () => {}

  function expire(waiter: Waiter) {
    waiter.isExpired = true
    const index = queue.indexOf(waiter)
    if (index !== -1) queue.splice(index, 1)
    if (index !== -1 && waiter.isUnconfirmed) keepUnconfirmed(waiter)
    waiter.reject(storeUnavailable())
  }

  function keepUnconfirmed(...waiters: Waiter[]) {
    unconfirmed.push(...waiters.slice(0, queueMax - unconfirmed.length))
  }

  /** Reports those that were committed after all. Runs between commits, so that the answers are final. */
  async function settleUnconfirmed() {
    const waiters = unconfirmed
    unconfirmed = []
    try {
      const outcomes = await recheck(waiters.map(({ item }) => item))
      waiters.forEach(({ onLate }, index) => {
        if (outcomes[index] !== undefined) onLate?.(outcomes[index])
      })
    } catch {
      keepUnconfirmed(...waiters)
    }
  }

  async function attempt(waiters: Waiter[]): Promise<Waiter[]> {
    // Some may have expired while the first half of their batch was tried.
    keepUnconfirmed(...waiters.filter(({ isExpired, isUnconfirmed }) => isExpired && isUnconfirmed))
    const batch = waiters.filter(({ isExpired }) => !isExpired)
    if (batch.length === 0) return []
    try {
      const outcomes = await commit(batch.map(({ item }) => item))
      batch.forEach((waiter, index) => {
        waiter.cancelDeadline()
        if (waiter.isExpired) waiter.onLate?.(outcomes[index] as Outcome)
        else waiter.resolve(outcomes[index] as Outcome)
      })
      return []
    } catch (error) {
      if (isTransient(error)) {
        for (const waiter of batch) waiter.isUnconfirmed = true
        return batch
      }
      if (batch.length > 1) {
        // Halve the batch, so that the bad item fails alone.
        const middle = batch.length >> 1
        const first = await attempt(batch.slice(0, middle))
        return [...first, ...(await attempt(batch.slice(middle)))]
      }
      batch[0]?.cancelDeadline()
      batch[0]?.reject(error)
      return []
    }
  }

  /** Waits for more items if a commit began just now: a commit costs as much as several items. */
  async function gatherMore() {
    const leftMs = begunMs + gather.ms - performance.now()
    if (leftMs > 0 && queue.length < gather.enough) {
      const enough = new AbortController()
      endGathering = () => enough.abort()
      await setTimeout(leftMs, undefined, enough).catch(() => {})
    }
    begunMs = performance.now()
  }

  async function run() {
    // Items that arrive in the same event-loop turn join the first batch.
    await setImmediate()
    let waitMs = backoffMs.first
    let size = batchMax
    while (queue.length > 0 || mustSettle) {
      await gatherMore()
      mustSettle = false
      const again = await attempt(queue.splice(0, size))
      if (again.length === 0) {
        waitMs = backoffMs.first
        size = Math.min(size * 2, batchMax)
        if (unconfirmed.length > 0) await settleUnconfirmed()
        continue
      }
      // The batch may have been too large for the statement timeout of the database.
      size = Math.max(1, again.length >> 2)
      // Callers of expired waiters have already been answered.
      keepUnconfirmed(...again.filter(({ isExpired }) => isExpired))
      queue = [...again.filter(({ isExpired }) => !isExpired), ...queue]
      await setTimeout(waitMs)
      waitMs = Math.min(waitMs * 2, backoffMs.max)
    }
    running = undefined
  }

  return {
    /**
     * Commits the item together with others. Rejects with `service_unavailable` at the deadline, with `overloaded` if
     * the queue is full, and with a permanent error of `commit` for this item alone. `onLate` gets the outcome of a
     * commit that succeeded after the deadline.
     */
    add: (item: Item, onLate?: (outcome: Outcome) => void): Promise<Outcome> => {
      if (isClosed) return Promise.reject(storeUnavailable())
      if (queue.length >= queueMax) return Promise.reject(new LeadError('overloaded', { retryAfterSeconds: 1 }))
      return new Promise((resolve, reject) => {
        const cancelDeadline = startDeadline(deadlineMs, () => expire(waiter))
        const waiter: Waiter = { item, resolve, reject, onLate, cancelDeadline, isExpired: false, isUnconfirmed: false }
        queue.push(waiter)
        if (queue.length === gather.enough) endGathering()
        running ??= run()
      })
    },

    /** Reports what rejected commits have stored. Call when the database is back: no new item may arrive for a while. */
    settle: () => {
      mustSettle = unconfirmed.length > 0
      if (mustSettle) running ??= run()
    },

    /** Accepts no more items. Resolves when all accepted items are settled, at their deadline at the latest. */
    close: async () => {
      isClosed = true
      await running
    },
  }
}
