/** The memory that one call takes. */
export interface CallMemory {
  /** The call waits for its caller to send or to read, and takes so many bytes. */
  wait(bytes: number): void
  /** The service works on the call, which takes so many bytes. */
  work(bytes: number): void
  release(): void
}

/**
 * Bounds the memory of all calls to `maxBytes` together. Beyond that, the calls that have waited for their callers for
 * the longest time without progress are given up. An honest caller takes milliseconds. A call that the service works on
 * is never given up. Returns the function that adds a call, with what gives it up.
 */
export function createCallMemory(maxBytes: number) {
  /** In the order of their last progress. */
  const waiting = new Map<CallMemory, () => void>()
  let total = 0

  return (giveUp: () => void): CallMemory => {
    let bytes = 0
    let released = false

    function set(changed: number): void {
      total += changed - bytes
      bytes = changed
      waiting.delete(memory)
    }

    const memory: CallMemory = {
      wait(changed) {
        if (released) return
        set(changed)
        waiting.set(memory, giveUp)
        for (const [oldest, giveUpOldest] of waiting) {
          if (total <= maxBytes) break
          oldest.release()
          giveUpOldest()
        }
      },
      work(changed) {
        if (!released) set(changed)
      },
      release() {
        set(0)
        released = true
      },
    }
    return memory
  }
}
