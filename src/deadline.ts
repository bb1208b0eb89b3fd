/** A deadline takes at least this many turns of the event loop, so that one long turn cannot use it up. */
const turns = 4

/** Calls `onTimeout` after `ms` milliseconds, or later if this process was busy. Returns a function that cancels it. */
export function startDeadline(ms: number, onTimeout: () => void): () => void {
  let left = turns
  let immediate: NodeJS.Immediate
  const timer = setTimeout(
    () => {
      // An answer may already be waiting in the socket. Node reads sockets between timers and immediates.
      immediate = setImmediate(() => (--left > 0 ? timer.refresh() : onTimeout()))
    },
    Math.ceil(ms / turns),
  )
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/** Settles like the promise, or rejects with `onTimeout()` after `ms` milliseconds. */
export function settleWithin<T>(ms: number, promise: Promise<T>, onTimeout = () => new Error('no answer')): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(ms, () => reject(onTimeout()))
    void promise.then(resolve, reject).then(cancel)
  })
}
