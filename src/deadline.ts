/** A deadline takes at least this many turns of the event loop, so that one long turn cannot use it up. */
const turns = 4

/** Calls `onTimeout` after `ms` milliseconds, or later if this process was busy. Returns a function that cancels it. */
export function startDeadline(ms: number, onTimeout: () => void): () => void {
  let turn = 0
  let timer: NodeJS.Timeout
  let immediate: NodeJS.Immediate
  const wait = () => {
    // An answer may already be waiting in the socket. Node reads sockets between timers and immediates.
    const next = () => (++turn < turns ? wait() : onTimeout())
    timer = setTimeout(() => (immediate = setImmediate(next)), Math.ceil(ms / turns))
  }
  wait()
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/** Settles like the promise, or rejects with `onTimeout()` after `ms` milliseconds. */
export function settleWithin<T>(ms: number, promise: Promise<T>, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(ms, () => reject(onTimeout()))
    void promise.then(resolve, reject).then(cancel)
  })
}
