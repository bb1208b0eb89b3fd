import type { Health } from '../store/health.ts'
import type { ReplicaReports } from './replica-reports.ts'

/** Whether callers should come to this replica, and what is wrong, whether they should or not. */
export interface ReadinessReport {
  ready: boolean
  /** One short text each, such as `database: postgres: ECONNREFUSED`. The first says why a replica is not ready. */
  troubles: readonly string[]
}

/** The one source for `/readyz`, gRPC health, metrics and the log. */
export interface Readiness {
  /** What the last check has shown. It changes with `onChange` only. */
  readonly ready: boolean
  /** Asks the store, unless its answer is fresh. Resolves within a second, whatever the store does. */
  check(): Promise<ReadinessReport>
  /** Hears of each change, with its reason. Returns an unsubscribe function. */
  onChange(listener: (ready: boolean, report: ReadinessReport) => void): () => void
  /** For when all listeners listen: unready before. Begins to compare this replica with the others; gives the first report. */
  start(): Promise<ReadinessReport>
  /** Unready from here on, for good. */
  stop(): void
}

export interface ReadinessOptions {
  checkStore(): Promise<Health>
  /** Undefined: no other replica is known of, so this one is never the odd one out. */
  reports: ReplicaReports | undefined
  /** What else is wrong and does not make the replica unready. */
  otherTroubles(): readonly string[]
  /** Runs `round` after so many milliseconds, and returns what calls it off. */
  schedule?: (round: () => void, ms: number) => () => void
}

/** How often a replica that stores tells the others, in milliseconds. */
const reportEveryMs = 2_000

/** How often one that fails looks at them: longer, so that there is a new report of any replica that stores. */
const compareEveryMs = 2_500

/** Comparisons in a row that must find another replica storing: one lost packet makes nobody leave. */
const comparisonsToLeave = 3

function scheduleTimer(round: () => void, ms: number): () => void {
  const timer = setTimeout(round, ms).unref()
  return () => clearTimeout(timer)
}

/**
 * A replica becomes ready once it has been able to store, and then stays ready while the database is away for everybody:
 * its own problem documents tell callers more than the gateway's bare 503 would. Only the odd one out leaves, which fails
 * while others go on storing (docs/specification.md §10).
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { checkStore, reports, otherTroubles, schedule = scheduleTimer } = options
  const listeners = new Set<(ready: boolean, report: ReadinessReport) => void>()
  let ready = false
  let isStarted = false
  let hasStored = false
  let isStopping = false
  let isOddOneOut = false
  /** Redis's clock when this replica's present failure was first seen, or the newest report of another since then. */
  let othersSinceMs: number | undefined
  let comparisons = 0
  let cancel = () => {}

  function describe(health: Health): ReadinessReport {
    const troubles = [
      ...(isStopping ? ['stopping'] : []),
      ...(health.ok ? [] : [`database: ${health.reason}`]),
      ...(isOddOneOut ? ['other replicas can store'] : []),
      ...otherTroubles(),
    ]
    return { ready: isStarted && hasStored && !isStopping && !isOddOneOut, troubles }
  }

  /** Brings `ready` up to date and tells those who listen. */
  function publish(report: ReadinessReport): ReadinessReport {
    if (report.ready !== ready) {
      ready = report.ready
      for (const listener of listeners) listener(ready, report)
    }
    return report
  }

  function conclude(health: Health): ReadinessReport {
    if (health.ok) {
      hasStored = true
      isOddOneOut = false
      othersSinceMs = undefined
      comparisons = 0
    }
    return publish(describe(health))
  }

  async function check(): Promise<ReadinessReport> {
    return conclude(await checkStore())
  }

  async function compare(health: Health): Promise<void> {
    // With Redis away nothing is known of the others, so this one stays.
    const exchanged = await reports?.exchange(health.ok).catch(() => undefined)
    if (health.ok) return
    const othersStore =
      exchanged?.newestOtherMs !== undefined && othersSinceMs !== undefined && exchanged.newestOtherMs > othersSinceMs
    comparisons = othersStore ? comparisons + 1 : 0
    if (exchanged !== undefined)
      othersSinceMs = othersStore ? exchanged.newestOtherMs : (othersSinceMs ?? exchanged.nowMs)
    isOddOneOut = comparisons >= comparisonsToLeave
  }

  async function round(): Promise<void> {
    const health = await checkStore()
    await compare(health)
    // The store may have recovered during the comparison: then this is no odd one out.
    const latest = await checkStore()
    conclude(latest)
    if (!isStopping) cancel = schedule(() => void round(), latest.ok ? reportEveryMs : compareEveryMs)
  }

  return {
    get ready() {
      return ready
    },
    check,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async start() {
      isStarted = true
      const report = await check()
      cancel = schedule(() => void round(), 0)
      return report
    },
    stop() {
      isStopping = true
      cancel()
      publish(describe({ ok: true }))
    },
  }
}
