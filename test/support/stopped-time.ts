import type { TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

/**
 * Stops the clock for the rest of a test: `setTimeout` and `now` only move when the test advances them, by whole
 * milliseconds. Between two milliseconds, all work that needs no time is done.
 */
export function stopTime({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  return {
    /** A monotonic clock, in milliseconds. */
    now: () => nowMs,
    wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    async advance(ms: number): Promise<void> {
      await turn()
      for (let count = 0; count < ms; count++) {
        nowMs++
        mock.timers.tick(1)
        await turn()
      }
    },
  }
}

/** Whether a promise settles without any time passing. A rejection is thrown. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, turn(pending)])) !== pending
}
