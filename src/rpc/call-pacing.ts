interface Closing {
  once(event: 'close', listener: () => void): unknown
}

/** Bounds how many responses are open at once. Returns the function that counts one, unless there are too many. */
export function createOpenBound(max: number): (response: Closing) => boolean {
  let open = 0
  return (response) => {
    if (open === max) return false
    open++
    response.once('close', () => open--)
    return true
  }
}

/** How many calls may begin in one turn of the event loop. */
const begunMax = 100

/**
 * Lets only so many calls begin in each turn of the event loop, so that turns stay short. Returns the function that
 * queues a call until its response is closed.
 */
export function createCallPacing() {
  const waiting = new Set<() => void>()

  function beginSome(): void {
    for (const begin of [...waiting.values().take(begunMax)]) {
      waiting.delete(begin)
      begin()
    }
    if (waiting.size > 0) setImmediate(beginSome)
  }

  return (response: Closing, begin: () => void) => {
    if (waiting.size === 0) setImmediate(beginSome)
    waiting.add(begin)
    response.once('close', () => waiting.delete(begin))
  }
}
