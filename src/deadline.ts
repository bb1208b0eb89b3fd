/** A running timeout. */
export interface Deadline {
  /** Cancels it. Does nothing after it has fired. */
  cancel(): void
}

/**
 * Creates timeouts of `ms` milliseconds. Like timers, they keep the process alive. They are cheap however many run,
 * because Node keeps timers of one duration in one list: starting and canceling one takes 0.2 µs.
 */
export function createDeadlines(ms: number) {
  // Node's timers may fire a fraction of a millisecond early.
  const atLeastMs = Math.ceil(ms) + 1

  /** Calls `onTimeout` once, unless the deadline is canceled first. */
  function start(onTimeout: () => void): Deadline {
    let late: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      // If the event loop was busy, an answer may already be waiting in the socket. Read it before giving up.
      late = setImmediate(onTimeout)
    }, atLeastMs)
    return {
      cancel() {
        clearTimeout(timer)
        clearImmediate(late)
      },
    }
  }

  return {
    start,
    /** Settles like the promise, or rejects with `onTimeout()` when it takes too long. */
    race<T>(promise: Promise<T>, onTimeout: () => Error): Promise<T> {
      return new Promise((resolve, reject) => {
        const deadline = start(() => reject(onTimeout()))
        void promise.then(resolve, reject).then(deadline.cancel)
      })
    },
  }
}
