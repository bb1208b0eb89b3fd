import { setTimeout as delay } from 'node:timers/promises'

/** Waits until `holds` returns something truthy, and returns it. A test that timed out would dispose of nothing. */
export async function until<T>(
  what: string,
  holds: () => T | Promise<T>,
  { withinMs = 20_000, everyMs = 20 } = {},
): Promise<T> {
  const endMs = performance.now() + withinMs
  for (;;) {
    let fault: unknown
    try {
      const found = await within(Math.max(1, endMs - performance.now()), what, holds())
      if (found) return found
    } catch (error) {
      fault = error
    }
    if (performance.now() >= endMs) throw new Error(`not within ${withinMs} ms: ${what}`, { cause: fault })
    await delay(everyMs)
  }
}

/** Settles like `work`, but fails after a timeout, because a container engine may never answer. */
export async function within<T>(ms: number, what: string, work: T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms: ${what}`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
