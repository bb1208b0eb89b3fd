import { createDeadlines } from '../deadline.ts'
import { StoreError } from './error.ts'

/** Whether leads can be stored, and if not, why: a code, and no secret. */
export type Health = { ok: true } | { ok: false; reason: string }

/** How long an answer is passed on unasked: probes and status pages then cost one small write a second at most. */
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

/** Watches whether a store can store, by what its commits show and otherwise by `probe`, which must write something. */
export function createHealthWatch(
  probe: () => Promise<void>,
  now: () => number = () => performance.now(),
): HealthWatch {
  const deadlines = createDeadlines(probeMs)
  let known: Health = { ok: true }
  let knownUntilMs = -Infinity
  let probing: Promise<Health> | undefined

  function note(health: Health): Health {
    known = health
    knownUntilMs = now() + freshMs
    return health
  }

  function failed(error: unknown): Health {
    return note({ ok: false, reason: error instanceof StoreError ? error.message : 'unexpected error' })
  }

  async function ask(): Promise<Health> {
    try {
      await deadlines.race(probe(), () => new StoreError('probe_timeout', true, `no answer within ${probeMs} ms`))
      return note({ ok: true })
    } catch (error) {
      return failed(error)
    } finally {
      probing = undefined
    }
  }

  return {
    check: async () => {
      if (now() < knownUntilMs) return known
      probing ??= ask()
      return await probing
    },
    committed: () => void note({ ok: true }),
    failed: (error) => void failed(error),
  }
}
