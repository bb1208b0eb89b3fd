import type { StoredLead, TailReader } from './stored-lead.ts'

/** Leads read at a time. */
const pageMax = 250

/** Leads that are kept for followers who are a little behind: what they share instead of reading it each. */
const recentMax = 1_000

/** Leads that were read longer ago than this are read again before they are handed on: they may be erased by now. */
const freshMs = 1_000

/** How long to wait for the company of further leads after a signal: it bounds the reads a second. */
const gatherMs = 20

export interface TailOptions {
  reader: TailReader
  /** How often to look without a signal, in milliseconds: the safety net for signals that get lost. */
  pollMs?: number
  /** Milliseconds from any fixed moment on. */
  now?: () => number
}

export interface Tail {
  /**
   * Every lead after a position, in order, as fast as it is asked for, then each new one as it comes. Ends by throwing:
   * the signal's reason, or what the reader rejects with.
   */
  follow(position: number, signal: AbortSignal): AsyncGenerator<StoredLead, never>
}

interface Page {
  leads: readonly StoredLead[]
  readMs: number
}

/** What the followers that have caught up share, for as long as there are any. */
interface Reading {
  /** Pages hold every lead after `start` up to `head`. */
  pages: Page[]
  start: number
  head: number
  /** Settles with the next page, or with the error that ends the reading. */
  published: PromiseWithResolvers<void>
  wake(): void
}

/**
 * Follows the leads for any number of followers at the cost of one reader. A follower that is behind reads pages by
 * itself, as it asks for them; one that has caught up waits for what the one shared reading brings.
 */
export function createTail({ reader, pollMs = 500, now = () => performance.now() }: TailOptions): Tail {
  let followers = 0
  let current: Reading | undefined

  async function read(after: number): Promise<Page> {
    const leads = await reader.readAfter(after, pageMax)
    return { leads, readMs: now() }
  }

  const isFresh = ({ readMs }: Page) => now() - readMs < freshMs

  function publish(reading: Reading, page: Page) {
    reading.pages.push(page)
    reading.head = page.leads.at(-1)?.position ?? reading.head
    let kept = reading.pages.reduce((sum, { leads }) => sum + leads.length, 0)
    while (kept > recentMax) kept -= dropFirst(reading)
    reading.published.resolve()
    reading.published = promised()
  }

  /** Gives the number of leads dropped. */
  function dropFirst(reading: Reading): number {
    const leads = reading.pages.shift()?.leads ?? []
    reading.start = leads.at(-1)?.position ?? reading.start
    return leads.length
  }

  /** Reads on from `head` while there are followers, whenever there is a signal or it is time to look. */
  async function run(reading: Reading) {
    let stirred = promised()
    reading.wake = () => stirred.resolve()
    const end = reader.onStored(reading.wake)
    try {
      while (followers > 0) {
        stirred = promised()
        const page = await read(reading.head)
        if (page.leads.length > 0) publish(reading, page)
        while (reading.pages[0] !== undefined && !isFresh(reading.pages[0])) dropFirst(reading)
        if (page.leads.length === pageMax) continue
        await atMost(pollMs, stirred.promise)
        if (followers > 0) await atMost(gatherMs)
      }
    } catch (error) {
      reading.published.reject(error)
    } finally {
      end()
      current = undefined
    }
  }

  function join(position: number) {
    followers++
    if (current !== undefined) return
    current = { pages: [], start: position, head: position, published: promised(), wake: () => {} }
    void run(current)
  }

  function leave() {
    followers--
    if (followers === 0) current?.wake()
  }

  /** The leads after a position that the shared reading holds, waiting for some; undefined: they are gone from it. */
  async function shared(position: number, signal: AbortSignal): Promise<Page | undefined> {
    for (;;) {
      const reading = current
      if (reading === undefined || position < reading.start) return undefined
      const page = reading.pages.find(({ leads }) => (leads.at(-1)?.position ?? 0) > position)
      if (page !== undefined) {
        if (!isFresh(page)) return undefined
        return { ...page, leads: page.leads.filter((lead) => lead.position > position) }
      }
      await unlessAborted(reading.published.promise, signal)
    }
  }

  async function* follow(from: number, signal: AbortSignal): AsyncGenerator<StoredLead, never> {
    let position = from
    let joined = false
    try {
      for (;;) {
        signal.throwIfAborted()
        let page = joined ? await shared(position, signal) : await read(position)
        if (page === undefined) {
          leave()
          joined = false
          page = await read(position)
        }
        for (const lead of page.leads) {
          yield lead
          position = lead.position
          signal.throwIfAborted()
          if (!isFresh(page)) break
        }
        if (page.leads.length === 0 && !joined) {
          join(position)
          joined = true
        }
      }
    } finally {
      if (joined) leave()
    }
  }

  return { follow }
}

/** A promise whose rejection is not reported when nobody waits for it. */
function promised(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>()
  resolvers.promise.catch(() => {})
  return resolvers
}

/** Waits for a promise, or for at most `ms`. */
async function atMost(ms: number, promise: Promise<void> = new Promise(() => {})): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it is aborted. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = promised()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
