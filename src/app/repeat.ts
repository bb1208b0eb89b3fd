import { setTimeout as pause } from 'node:timers/promises'

/**
 * Works in the background, now and after each pause, without keeping the process alive. Returns the function that stops
 * it, which resolves when nothing is running.
 */
export function repeat(everyMs: number, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  async function run() {
    while (!signal.aborted) {
      await work(signal)
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
