/** Calls that begin in one turn of the event loop. */
const begunMax = 100

/**
 * Lets few calls begin in each turn of the event loop, so that turns stay short. Returns the function that adds a call,
 * which returns the function that takes it back.
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
