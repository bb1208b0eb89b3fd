import { createDeadlines } from '../deadline.ts'
import { StoreError } from './error.ts'

/** Whether leads can be stored, and if not, why: a code, and no secret. */
export type Health = { ok: true } | { ok: false; reason: string }

/** How long an answer is reused: probes and status pages then cost one small write a second at most. */
const freshMs = 1_000

/** How long a probe may take before the database counts as away. */
const probeMs = 900

export interface HealthWatch {
  /** Resolves within a second. Asks the database only when nothing recent is known. */
  check(): Promise<Health>
  /** Notes what a commit of leads has shown. */
  committed(): void
  failed(error: unknown): void
}

export interface HealthWatchOptions {
  /** Must write something. */
  probe(): Promise<void>
  /** Whether leads wait to be stored. While they do, a failed commit outweighs any probe: only a commit settles it. */
  leadsWait(): boolean
  /** Milliseconds on a clock that is not set back. */
  now?: () => number
}

/** Watches whether a store can store, by what its commits show and otherwise by `probe`. */
export function createHealthWatch({
  probe,
  leadsWait,
  now = () => performance.now(),
}: HealthWatchOptions): HealthWatch {
  const deadlines = createDeadlines(probeMs)
  let known: Health = { ok: true }
  let knownUntilMs = -Infinity
  let probing: Promise<Health> | undefined
  /** What the last commit failed with; undefined: it succeeded. */
  let commitFailure: Health | undefined

  function note(health: Health): Health {
    known = health
    knownUntilMs = now() + freshMs
    return health
  }

  function failed(error: unknown): Health {
    return note({ ok: false, reason: error instanceof StoreError ? error.message : 'unexpected error' })
  }

  /** Known without asking: the last answer while it is fresh, and a failed commit as long as leads wait for another. */
  function alreadyKnown(): Health | undefined {
    if (commitFailure !== undefined && leadsWait()) return commitFailure
    return now() < knownUntilMs ? known : undefined
  }

  async function ask(): Promise<Health> {
    try {
      await deadlines.race(probe(), () => new StoreError('probe_timeout', true, `no answer within ${probeMs} ms`))
      // A commit may have failed while the probe was under way.
      return alreadyKnown() ?? note({ ok: true })
    } catch (error) {
      return failed(error)
    } finally {
      probing = undefined
    }
  }

  return {
    check: async () => {
      const health = alreadyKnown()
      if (health !== undefined) return health
      probing ??= ask()
      return await probing
    },
    committed: () => {
      commitFailure = undefined
      note({ ok: true })
    },
    failed: (error) => {
      commitFailure = failed(error)
    },
  }
}
