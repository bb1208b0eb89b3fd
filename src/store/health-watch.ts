import { settleWithin } from '../deadline.ts'
import { StoreError } from './error.ts'

/** Whether leads can be stored. `reason` is an error code and contains no secrets. */
export type Health = { ok: true } | { ok: false; reason: string }

/** How long a result is reused, in milliseconds. Probes and status pages cost at most one small write per second. */
const freshMs = 1_000
/** How long a failed commit counts, in milliseconds. Longer than the next attempt takes, so that no probe outvotes commits. */
const commitFailedMs = 4_000
/** How long a probe may take before the database counts as unavailable, in milliseconds. */
const probeMs = 900

/**
 * Tracks whether the store can write: from its commits, or from `probe` when there was no recent one. `probe` must write,
 * because a read can succeed on a database that refuses writes. `onChange` is called for the first time when one fails.
 */
export function createHealthWatch(probe: () => Promise<void>, onChange?: (health: Health) => void) {
  let known: Health = { ok: true }
  let knownUntilMs = -Infinity
  let probing: Promise<Health> | undefined

  function note(health: Health, forMs = freshMs): Health {
    const changed = health.ok !== known.ok
    known = health
    knownUntilMs = performance.now() + forMs
    if (changed) onChange?.(health)
    return health
  }

  const failed = (error: unknown, forMs?: number) =>
    note({ ok: false, reason: error instanceof StoreError ? error.message : 'unexpected error' }, forMs)

  async function ask(): Promise<Health> {
    const timeout = () => new StoreError('probe_timeout', true, `no answer within ${probeMs} ms`)
    try {
      await settleWithin(probeMs, probe(), timeout)
      // A commit may have failed during the probe.
      return performance.now() < knownUntilMs ? known : note({ ok: true })
    } catch (error) {
      return failed(error)
    } finally {
      probing = undefined
    }
  }

  return {
    /** Resolves within a second. Queries the database only when there is no recent result. */
    check: async (): Promise<Health> => {
      if (performance.now() < knownUntilMs) return known
      probing ??= ask()
      return await probing
    },
    /** Records the result of a commit of leads. */
    committed: () => void note({ ok: true }),
    failed: (error: unknown) => void failed(error, commitFailedMs),
  }
}
