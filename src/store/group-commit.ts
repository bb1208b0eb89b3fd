import { setImmediate, setTimeout } from 'node:timers/promises'
import { createDeadlines, type Deadline } from '../deadline.ts'
import { LeadError } from '../lead/error.ts'

/** Whole seconds that a caller is asked to wait: a failover takes longer than a full queue. */
const retryAfterSeconds = { unavailable: 5, overloaded: 1 }

export interface GroupCommitOptions<Item, Outcome> {
  /**
   * Commits items together and gives the outcome of each, in their order. A rejection may leave it unknown whether they
   * are committed: committing the same items again must be safe.
   */
  commit(items: readonly Item[]): Promise<readonly Outcome[]>
  /** Whether the same items may be committed later. */
  isTransient(error: unknown): boolean
  /** Items that one commit may hold. */
  batchMax: number
  /** Items that may wait for a commit. */
  queueMax: number
  /** How long an item may take, waiting included, in milliseconds. */
  deadlineMs: number
  /** The wait after a first transient failure, in milliseconds; it doubles with each further one up to `max`. */
  backoffMs: { first: number; max: number }
}

export interface GroupCommit<Item, Outcome> {
  /**
   * Commits the item with those that come at the same time. Rejects with a `LeadError` `service_unavailable` at the
   * deadline, `overloaded` when the queue is full, or with what `commit` says of this item alone.
   */
  submit(item: Item): Promise<Outcome>
  /** Items that were taken and are not settled yet. */
  readonly waiting: number
  /** Takes nothing more, and resolves once everything taken is settled: within the deadline. */
  close(): Promise<void>
}

interface Entry<Item, Outcome> {
  item: Item
  resolve(outcome: Outcome): void
  reject(error: unknown): void
  deadline: Deadline
  expired: boolean
}

function unavailable(): LeadError {
  return new LeadError('service_unavailable', 'The lead could not be stored in time.', {
    retryAfterSeconds: retryAfterSeconds.unavailable,
  })
}

/**
 * Lets items that arrive while a commit is under way share the next one. One commit is in flight at a time, and none
 * waits for company: it starts in the event-loop turn in which there is something to commit.
 */
export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  type Waiting = Entry<Item, Outcome>
  const deadlines = createDeadlines(options.deadlineMs)
  let queue: Waiting[] = []
  let running: Promise<void> | undefined
  let closed = false
  let waiting = 0

  function expire(entry: Waiting) {
    entry.expired = true
    waiting--
    const index = queue.indexOf(entry)
    if (index !== -1) queue.splice(index, 1)
    entry.reject(unavailable())
  }

  /** Ends the wait of an entry that is about to be resolved or rejected; one that has expired was ended then. */
  function settle(entry: Waiting) {
    entry.deadline.cancel()
    if (!entry.expired) waiting--
  }

  /** Gives the entries that are to be tried again. */
  async function attempt(entries: Waiting[]): Promise<Waiting[]> {
    const batch = entries.filter(({ expired }) => !expired)
    if (batch.length === 0) return []
    try {
      const outcomes = await options.commit(batch.map(({ item }) => item))
      batch.forEach((entry, index) => {
        settle(entry)
        entry.resolve(outcomes[index] as Outcome)
      })
      return []
    } catch (error) {
      if (options.isTransient(error)) return batch
      if (batch.length > 1) return await halves(batch)
      for (const entry of batch) {
        settle(entry)
        entry.reject(error)
      }
      return []
    }
  }

  /** Finds the item that spoils the batch for its neighbours, so that it fails alone. */
  async function halves(batch: Waiting[]): Promise<Waiting[]> {
    const middle = batch.length >> 1
    const first = await attempt(batch.slice(0, middle))
    const second = await attempt(batch.slice(middle))
    return [...first, ...second]
  }

  async function run() {
    // What else arrives in this turn of the event loop belongs to the first batch.
    await setImmediate()
    let waitMs = options.backoffMs.first
    while (queue.length > 0) {
      const again = await attempt(queue.splice(0, options.batchMax))
      if (again.length === 0) {
        waitMs = options.backoffMs.first
        continue
      }
      // Those that have expired meanwhile stay out, for nobody waits for them any more.
      queue = [...again.filter(({ expired }) => !expired), ...queue]
      await setTimeout(waitMs)
      waitMs = Math.min(waitMs * 2, options.backoffMs.max)
    }
    running = undefined
  }

  return {
    submit: (item) => {
      if (closed) return Promise.reject(unavailable())
      if (queue.length >= options.queueMax) {
        return Promise.reject(
          new LeadError('overloaded', 'More leads are waiting to be stored than the service can hold.', {
            retryAfterSeconds: retryAfterSeconds.overloaded,
          }),
        )
      }
      return new Promise((resolve, reject) => {
        const deadline = deadlines.start(() => expire(entry))
        const entry: Waiting = { item, resolve, reject, deadline, expired: false }
        queue.push(entry)
        waiting++
        running ??= run()
      })
    },

    get waiting() {
      return waiting
    },

    close: async () => {
      closed = true
      await running
    },
  }
}
