/** How many calls may begin in one turn of the event loop. */
const begunMax = 100

/**
 * Lets only so many calls begin in each turn of the event loop, so that turns stay short. Returns the function that queues
 * a call, which returns the function that removes it from the queue.
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

  return (begin: () => void) => {
    if (waiting.size === 0) setImmediate(beginSome)
    waiting.add(begin)
    return () => waiting.delete(begin)
  }
}
