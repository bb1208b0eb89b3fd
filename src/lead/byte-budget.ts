/** Something that uses memory and can be loaded again. */
export interface Droppable {
  readonly bytes: number
  /** Frees the memory. */
  drop(): void
}

/** Limits the total memory of what is held. When it is exceeded, the item held the longest is dropped first. */
export interface ByteBudget {
  readonly maxBytes: number
  /** Adds an item, and drops the oldest other items until everything fits. */
  hold(held: Droppable): void
  /** Drops an item, unless that has already happened. */
  release(held: Droppable): void
  /** Removes an item that is no longer in memory. */
  forget(held: Droppable): void
}

export function createByteBudget(maxBytes: number): ByteBudget {
  /** In the order in which they were added. */
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
