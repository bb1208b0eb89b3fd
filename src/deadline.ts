/**
 * Calls `onTimeout` after `ms` milliseconds. Like timers, deadlines keep the process alive. They are cheap however many
 * run, because Node keeps timers of one duration in one list. Returns the function that cancels it.
 */
export function startDeadline(ms: number, onTimeout: () => void): () => void {
  let late: NodeJS.Immediate | undefined
  const timer = setTimeout(
    () => {
      // If the event loop was busy, an answer may already be waiting in the socket. Read it before giving up.
      late = setImmediate(onTimeout)
    },
    // Node's timers may fire a fraction of a millisecond early.
    Math.ceil(ms) + 1,
  )
  return () => {
    clearTimeout(timer)
    clearImmediate(late)
  }
}

/** Settles like the promise, or rejects with `onTimeout()` when it takes longer than `ms` milliseconds. */
export function settleWithin<T>(ms: number, promise: Promise<T>, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(ms, () => reject(onTimeout()))
    void promise.then(resolve, reject).then(cancel)
  })
}
