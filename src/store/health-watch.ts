import { settleWithin } from '../deadline.ts'
import { StoreError } from './database.ts'

/** How long a result is reused, in milliseconds, so that probes cost at most one small write a second. */
const freshMs = 1_000
/** How long a failed commit counts, in milliseconds: until after the next attempt, so that no probe overrules it. */
const commitFailedMs = 4_000
/** How long a probe may take before the database counts as unavailable, in milliseconds. */
const probeMs = 900

/** The reason for an outage: an error code, without secrets. */
export const reasonOf = (error: unknown) => (error instanceof StoreError ? error.message : 'unexpected error')

/**
 * Judges by commits, or else by `probe`, which must write, because a database may still serve reads. `onNews` gets the
 * reason of each failure, and undefined for the first success after it.
 */
export function createHealthWatch(probe: () => Promise<void>, onNews?: (trouble: string | undefined) => void) {
  let known: string | undefined
  let knownUntilMs = -Infinity
  let probing: Promise<string | undefined> | undefined

  function note(trouble: string | undefined, forMs = freshMs): string | undefined {
    const isNews = trouble !== undefined || known !== undefined
    known = trouble
    knownUntilMs = performance.now() + forMs
    if (isNews) onNews?.(trouble)
    return trouble
  }

  async function ask(): Promise<string | undefined> {
    const timeout = () => new StoreError('probe_timeout', true, `no answer within ${probeMs} ms`)
    try {
      await settleWithin(probeMs, probe(), timeout)
      // A commit may have failed during the probe.
      return performance.now() < knownUntilMs ? known : note(undefined)
    } catch (error) {
      return note(reasonOf(error))
    } finally {
      probing = undefined
    }
  }

  return {
    /** Resolves within a second to the reason if leads cannot be stored. Asks the database if no result is recent. */
    findTrouble: async (): Promise<string | undefined> => {
      if (performance.now() < knownUntilMs) return known
      probing ??= ask()
      return await probing
    },
    noteCommit: () => void note(undefined),
    noteFailure: (error: unknown) => void note(reasonOf(error), commitFailedMs),
  }
}
