/** The memory that one call takes. */
export interface CallMemory {
  /** Sets how many bytes the call takes now. */
  set(bytes: number): void
  release(): void
}

/**
 * Bounds the memory of all calls whose message has not arrived completely, or whose answer is not read, to `maxBytes`
 * together. Beyond that, the calls without progress for the longest time are given up: an honest one takes
 * milliseconds. Returns the function that adds a call, with what gives it up.
 */
export function createCallMemory(maxBytes: number) {
  /** In the order of the calls' last progress. */
  const calls = new Map<() => void, number>()
  let total = 0

  function set(giveUp: () => void, bytes: number): void {
    total += bytes - (calls.get(giveUp) ?? 0)
    calls.delete(giveUp)
    calls.set(giveUp, bytes)
    for (const oldest of calls.keys()) {
      if (total <= maxBytes || oldest === giveUp) break
      release(oldest)
      oldest()
    }
  }

  function release(giveUp: () => void): void {
    total -= calls.get(giveUp) ?? 0
    calls.delete(giveUp)
  }

  return (giveUp: () => void, bytes: number): CallMemory => {
    set(giveUp, bytes)
    return {
      set(bytes) {
        if (calls.has(giveUp)) set(giveUp, bytes)
      },
      release: () => release(giveUp),
    }
  }
}
