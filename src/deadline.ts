/** A time-out that has been started. */
export interface Deadline {
  /** Calls it off. Without effect once it has passed. */
  cancel(): void
}

/** Time-outs of one length. However many run, they cost one timer together. */
export interface Deadlines {
  /** Calls `onTimeout` once, unless the deadline is cancelled before. */
  start(onTimeout: () => void): Deadline
  /** Settles as the promise does, or rejects with `onTimeout()` when that takes too long. */
  race<T>(promise: Promise<T>, onTimeout: () => Error): Promise<T>
}

class Entry implements Deadline {
  readonly dueMs: number
  readonly onTimeout: () => void
  readonly list: EntryList
  previous: Entry | undefined
  next: Entry | undefined
  waiting = true

  constructor(list: EntryList, dueMs: number, onTimeout: () => void) {
    this.list = list
    this.dueMs = dueMs
    this.onTimeout = onTimeout
  }

  cancel() {
    if (this.waiting) this.list.remove(this)
  }
}

/** Entries in the order in which they fall due, which for equal lengths is the order in which they came. */
class EntryList {
  head: Entry | undefined
  tail: Entry | undefined
  readonly onEmpty: () => void

  constructor(onEmpty: () => void) {
    this.onEmpty = onEmpty
  }

  append(entry: Entry) {
    entry.previous = this.tail
    if (this.tail === undefined) this.head = entry
    else this.tail.next = entry
    this.tail = entry
  }

  remove(entry: Entry) {
    entry.waiting = false
    if (entry.previous === undefined) this.head = entry.next
    else entry.previous.next = entry.next
    if (entry.next === undefined) this.tail = entry.previous
    else entry.next.previous = entry.previous
    entry.previous = undefined
    entry.next = undefined
    if (this.head === undefined) this.onEmpty()
  }
}

/** Makes deadlines of `ms` milliseconds. Those that run keep the process alive, as timers do. */
export function createDeadlines(ms: number): Deadlines {
  const list = new EntryList(() => timer?.unref())
  let timer: NodeJS.Timeout | undefined

  // An answer that has arrived while the event loop was busy is read before anything is given up.
  const onTimer = () => setImmediate(expire)

  function arm(afterMs: number) {
    timer = setTimeout(onTimer, Math.max(1, Math.ceil(afterMs)))
  }

  function expire() {
    timer = undefined
    const nowMs = performance.now()
    while (list.head !== undefined && list.head.dueMs <= nowMs) {
      const entry = list.head
      list.remove(entry)
      entry.onTimeout()
    }
    if (list.head !== undefined && timer === undefined) arm(list.head.dueMs - nowMs)
  }

  function start(onTimeout: () => void): Deadline {
    const entry = new Entry(list, performance.now() + ms, onTimeout)
    const first = list.head === undefined
    list.append(entry)
    if (timer === undefined) arm(ms)
    else if (first) timer.ref()
    return entry
  }

  return {
    start,
    race: (promise, onTimeout) =>
      new Promise((resolve, reject) => {
        const deadline = start(() => reject(onTimeout()))
        promise.then(
          (value) => {
            deadline.cancel()
            resolve(value)
          },
          (error) => {
            deadline.cancel()
            reject(error)
          },
        )
      }),
  }
}
