/** Something that takes memory and can be had again. */
export interface Droppable {
  readonly bytes: number
  /** Lets go of the memory. */
  drop(): void
}

/** Bounds what is held in memory together: whoever holds the longest has to let go first. */
export interface ByteBudget {
  readonly maxBytes: number
  /** Counts something in, and drops the oldest others until all of it fits. */
  hold(held: Droppable): void
  /** Drops something, if that has not happened yet. */
  release(held: Droppable): void
  /** Counts something out that is not in memory any more. */
  forget(held: Droppable): void
}

export function createByteBudget(maxBytes: number): ByteBudget {
  /** In the order in which they came. */
  const holding = new Set<Droppable>()
  let bytes = 0

  function forget(held: Droppable): boolean {
    if (!holding.delete(held)) return false
    bytes -= held.bytes
    return true
  }

  function release(held: Droppable) {
    if (forget(held)) held.drop()
  }

  return {
    maxBytes,
    hold(held) {
      holding.add(held)
      bytes += held.bytes
      for (const oldest of holding) {
        if (bytes <= maxBytes || oldest === held) break
        release(oldest)
      }
    },
    release,
    forget,
  }
}
