import { settleWithin } from '../deadline.ts'
import { StoreError } from './database.ts'

/** Whether leads can be stored. `reason` is an error code and contains no secrets. */
export type Health = { ok: true } | { ok: false; reason: string }

/** How long a result is reused, in milliseconds, so that probes cost at most one small write a second. */
const freshMs = 1_000
/** How long a failed commit counts, in milliseconds: until after the next attempt, so that no probe overrules it. */
const commitFailedMs = 4_000
/** How long a probe may take before the database counts as unavailable, in milliseconds. */
const probeMs = 900

export const healthAfter = (error: unknown): Health => ({
  ok: false,
  reason: error instanceof StoreError ? error.message : 'unexpected error',
})

/**
 * Judges by commits, or else by `probe`, which must write, because a database may still serve reads. `onNews` gets each
 * failure, and the first success after it.
 */
export function createHealthWatch(probe: () => Promise<void>, onNews?: (health: Health) => void) {
  let known: Health = { ok: true }
  let knownUntilMs = -Infinity
  let probing: Promise<Health> | undefined

  function note(health: Health, forMs = freshMs): Health {
    const isNews = !health.ok || !known.ok
    known = health
    knownUntilMs = performance.now() + forMs
    if (isNews) onNews?.(health)
    return health
  }

  async function ask(): Promise<Health> {
    const timeout = () => new StoreError('probe_timeout', true, `no answer within ${probeMs} ms`)
    try {
      await settleWithin(probeMs, probe(), timeout)
      // A commit may have failed during the probe.
      return performance.now() < knownUntilMs ? known : note({ ok: true })
    } catch (error) {
      return note(healthAfter(error))
    } finally {
      probing = undefined
    }
  }

  return {
    /** Resolves within a second. Queries the database only if there is no recent result. */
    check: async (): Promise<Health> => {
      if (performance.now() < knownUntilMs) return known
      probing ??= ask()
      return await probing
    },
    committed: () => void note({ ok: true }),
    failed: (error: unknown) => void note(healthAfter(error), commitFailedMs),
  }
}
