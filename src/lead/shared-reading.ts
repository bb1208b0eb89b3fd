import type { ByteBudget } from './byte-budget.ts'
import type { HeldPage } from './held-page.ts'

/** How many recent entries are kept, so that followers that are slightly behind need not read them again. */
const recentMax = 1_000

/** How long to wait for further entries after a signal, in milliseconds. Bounds the reads per second. */
const gatherMs = 20

export interface SharedReadingOptions {
  read(position: number): Promise<HeldPage>
  budget: ByteBudget
  /** Like a store's. */
  onStored(listener: () => void): () => void
  pollMs: number
  now(): number
}

/** One shared reader for all followers that have caught up. It reads only while there are any. */
export interface SharedReading {
  /** Adds a follower that continues after a position. */
  join(position: number): void
  leave(): void
  /**
   * The page with the entries after a position. `gone`: they are no longer kept. Undefined: nothing new within
   * `waitMs`. Rejects with the reader's errors or the signal's reason.
   */
  pageAfter(position: number, waitMs: number, signal: AbortSignal): Promise<HeldPage | 'gone' | undefined>
}

/** `pages` contain every entry after `start` up to `head`. */
interface Run {
  pages: HeldPage[]
  start: number
  head: number
  /** Callbacks that wait for the next page. They are called with the error that ends the run, or with nothing. */
  waiting: Set<(error?: unknown) => void>
  wake(): void
}

export function createSharedReading({ read, budget, onStored, pollMs, now }: SharedReadingOptions): SharedReading {
  let followers = 0
  let current: Run | undefined

  function publish(run: Run, page: HeldPage) {
    run.pages.push(page)
    run.head = page.examined
    let kept = run.pages.reduce((sum, { entries = [] }) => sum + entries.length, 0)
    while (kept > recentMax) kept -= dropFirst(run)
    for (const wake of run.waiting) wake()
  }

  /** Returns the number of entries dropped. */
  function dropFirst(run: Run): number {
    const page = run.pages.shift()
    if (page === undefined) return 0
    const length = page.entries?.length ?? 0
    budget.release(page)
    run.start = page.examined
    return length
  }

  /** Keeps reading after `head`, at each signal or poll. */
  async function readOn(run: Run) {
    let stirred = Promise.withResolvers<void>()
    run.wake = () => stirred.resolve()
    const unsubscribe = onStored(run.wake)
    try {
      while (followers > 0) {
        stirred = Promise.withResolvers()
        const page = await read(run.head)
        if (page.entries?.length !== 0) publish(run, page)
        while (run.pages[0] !== undefined && !run.pages[0].isGood()) dropFirst(run)
        if (page.more) continue
        await atMost(pollMs, stirred.promise)
        if (followers > 0) await atMost(gatherMs)
      }
    } catch (error) {
      for (const wake of run.waiting) wake(error)
    } finally {
      unsubscribe()
      while (run.pages.length > 0) dropFirst(run)
      current = undefined
    }
  }

  return {
    join(position) {
      followers++
      if (current !== undefined) return
      current = { pages: [], start: position, head: position, waiting: new Set(), wake: () => {} }
      void readOn(current)
    },

    leave() {
      followers--
      if (followers === 0) current?.wake()
    },

    async pageAfter(position, waitMs, signal) {
      const untilMs = now() + waitMs
      for (;;) {
        const run = current
        if (run === undefined || position < run.start) return 'gone'
        const page = run.pages.find(({ examined }) => examined > position)
        if (page !== undefined) return page.isGood() ? page : 'gone'
        const leftMs = untilMs - now()
        if (leftMs <= 0) return undefined
        await published(run, leftMs, signal)
      }
    },
  }
}

/** Waits for a promise, for at most `ms` milliseconds. */
async function atMost(ms: number, promise: Promise<void> = new Promise(() => {})): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/**
 * Waits for the next page, for at most `ms` milliseconds. Rejects with the error that ends the run or the signal's
 * reason.
 */
function published({ waiting }: Run, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms)
    const onAbort = () => done(signal.reason)
    function done(error?: unknown) {
      clearTimeout(timer)
      waiting.delete(done)
      signal.removeEventListener('abort', onAbort)
      if (error === undefined) resolve()
      else reject(error)
    }
    waiting.add(done)
    signal.addEventListener('abort', onAbort)
  })
}
