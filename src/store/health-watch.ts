import { settleWithin } from '../deadline.ts'
import { StoreError } from './error.ts'

/** Whether leads can be stored. `reason` is an error code and contains no secrets. */
export type Health = { ok: true } | { ok: false; reason: string }

/** How long a result is reused. Probes and status pages cost at most one small write per second. */
const freshMs = 1_000

/** How long a probe may take before the database counts as unavailable. */
const probeMs = 900

export interface HealthWatchOptions {
  /** Must write, because a read can succeed on a database that refuses writes. */
  probe(): Promise<void>
  /** Whether leads wait to be stored. While they do, only a successful commit clears a failed one, and no probe. */
  leadsWait(): boolean
  /** Called when the result changes, for the first time when a check fails. */
  onChange?: ((health: Health) => void) | undefined
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/** Tracks whether the store can write: from its commits, or from `probe` when there was no recent commit. */
export function createHealthWatch({ probe, leadsWait, onChange, now = () => performance.now() }: HealthWatchOptions) {
  let known: Health = { ok: true }
  let knownUntilMs = -Infinity
  let probing: Promise<Health> | undefined
  /** The failure of the last commit. Undefined: it succeeded. */
  let commitFailure: Health | undefined

  function note(health: Health): Health {
    const changed = health.ok !== known.ok
    known = health
    knownUntilMs = now() + freshMs
    if (changed) onChange?.(health)
    return health
  }

  function failed(error: unknown): Health {
    return note({ ok: false, reason: error instanceof StoreError ? error.message : 'unexpected error' })
  }

  /** What is known without a probe: a failed commit while leads wait for the next one, else the last fresh result. */
  function alreadyKnown(): Health | undefined {
    if (commitFailure !== undefined && leadsWait()) return commitFailure
    return now() < knownUntilMs ? known : undefined
  }

  async function ask(): Promise<Health> {
    const earlierFailure = commitFailure
    const probed = probe()
    try {
      await settleWithin(probeMs, probed, () => new StoreError('probe_timeout', true, `no answer within ${probeMs} ms`))
      // A commit may have failed during the probe.
      if (commitFailure === earlierFailure && !leadsWait()) commitFailure = undefined
      return alreadyKnown() ?? note({ ok: true })
    } catch (error) {
      return failed(error)
    } finally {
      probing = undefined
    }
  }

  return {
    /** Resolves within a second. Queries the database only when there is no recent result. */
    check: async (): Promise<Health> => {
      const health = alreadyKnown()
      if (health !== undefined) return health
      probing ??= ask()
      return await probing
    },
    /** Records the result of a commit of leads. */
    committed: () => {
      commitFailure = undefined
      note({ ok: true })
    },
    failed: (error: unknown) => {
      commitFailure = failed(error)
    },
  }
}
