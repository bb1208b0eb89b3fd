import { createUpkeep } from '../ops/upkeep.ts'
import type { Core } from './core.ts'

/** Between the 15 and 60 seconds of docs/specification.md §9. */
const everyMs = 20_000

/** Evidence that has waited for less counts as sealed for the alert. */
const freshSeconds = 60

/** A stop waits no longer than this for the last segment; what is left is sealed at the next start. */
const lastSealMs = 3_000

export interface Sealing {
  /** Seals at once what an earlier process has left, and then what comes. */
  start(): void
  /** Seals what there is. To be called when nothing more is stored. */
  stop(): Promise<void>
}

/** Seals the evidence in the background. */
export function buildSealing({ log, metrics, sealer }: Core): Sealing {
  const onError = (_: string, error: unknown) => log.warn({ err: error }, 'evidence could not be sealed')
  let force = true
  const rounds = createUpkeep({
    tasks: {
      async seal(signal) {
        const count = await sealer.seal({ force, signal })
        force = false
        // What has just come in waits for the next round, or for the one of another replica.
        if (sealer.unsealedSeconds < freshSeconds) metrics.onSealed()
        return count
      },
    },
    everyMs,
    onDone() {},
    onError,
  })
  return {
    start: rounds.start,
    async stop() {
      await rounds.stop()
      try {
        await sealer.seal({ force: true, signal: AbortSignal.timeout(lastSealMs) })
      } catch (error) {
        onError('seal', error)
      }
    },
  }
}
