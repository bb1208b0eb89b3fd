import { createUpkeep } from '../ops/upkeep.ts'
import type { Core } from './core.ts'

/** Between the 15 and 60 seconds of docs/specification.md §9. */
const everyMs = 20_000

/** For the alert, evidence that has waited less than this counts as sealed. */
const freshSeconds = 60

/** Evidence that has waited longer than this is logged. By then, each replica has tried several times. */
const lateSeconds = 300

/** How long a shutdown waits for the last segment, in milliseconds. The next start seals what is left. */
const lastSealMs = 3_000

export interface Sealing {
  /** Seals what an earlier process has left unsealed, then seals periodically. */
  start(): void
  /** Seals what is left. Call this when no more leads can be stored. */
  stop(): Promise<void>
}

/** Seals the evidence in the background. */
export function buildSealing({ log, metrics, sealer }: Pick<Core, 'log' | 'metrics' | 'sealer'>): Sealing {
  const onError = (_: string, error: unknown) => log.warn({ err: error }, 'evidence could not be sealed')
  let force = true
  const rounds = createUpkeep({
    tasks: {
      async seal(signal) {
        const count = await sealer.seal({ force, signal })
        force = false
        // A round leaves recent entries unsealed, so a short wait is normal.
        if (sealer.unsealedSeconds < freshSeconds) metrics.onSealed()
        // A wait without an error: for example, a dead session still holds the lock that sealing needs.
        if (sealer.unsealedSeconds > lateSeconds)
          log.warn({ seconds: Math.round(sealer.unsealedSeconds) }, 'evidence waits to be sealed')
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
