import type { Health } from '../store/health.ts'
import type { ReplicaReports } from './replica-reports.ts'

/**
 * Whether this replica should receive traffic, plus its current problems, including those that do not affect readiness.
 */
export interface ReadinessReport {
  ready: boolean
  /**
   * One short text per problem, such as `database: postgres: ECONNREFUSED`. For an unready replica, the first is the
   * reason.
   */
  troubles: readonly string[]
}

/** The single source for `/readyz`, gRPC health, metrics and the log. */
export interface Readiness {
  /** The result of the last check. It changes only together with `onChange`. */
  readonly ready: boolean
  /** Checks the store, or reuses a fresh result. Resolves within a second, whatever the store does. */
  check(): Promise<ReadinessReport>
  /** Called at each change, with the reason. Returns an unsubscribe function. */
  onChange(listener: (ready: boolean, report: ReadinessReport) => void): () => void
  /**
   * Call this once all listeners accept connections; until then the replica is unready. Starts comparing this replica
   * with the others. Returns the first report.
   */
  start(): Promise<ReadinessReport>
  /** Makes the replica permanently unready. */
  stop(): void
}

export interface ReadinessOptions {
  checkStore(): Promise<Health>
  /** Undefined: no exchange with other replicas, so this one never counts as the only one failing. */
  reports: ReplicaReports | undefined
  /** Problems that do not make the replica unready. */
  otherTroubles(): readonly string[]
  /** Runs `round` after `ms` milliseconds, and returns a function that cancels it. */
  schedule?: (round: () => void, ms: number) => () => void
}

/** How often a replica that can store reports to the others, in milliseconds. */
const reportEveryMs = 2_000

/**
 * How often a failing replica reads the others' reports, in milliseconds. Longer than `reportEveryMs`, so that each
 * round sees a new report from every replica that can store.
 */
const compareEveryMs = 2_500

/**
 * How many comparisons in a row must find another replica that can store before this one becomes unready. More than
 * one, so that a lost packet does not count.
 */
const comparisonsToLeave = 3

function scheduleTimer(round: () => void, ms: number): () => void {
  const timer = setTimeout(round, ms).unref()
  return () => clearTimeout(timer)
}

/**
 * A replica becomes ready when it can store for the first time. It stays ready while the database is down for all
 * replicas, because its problem documents tell callers more than a gateway's bare 503. It becomes unready when it fails
 * while other replicas can store (docs/specification.md §10).
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { checkStore, reports, otherTroubles, schedule = scheduleTimer } = options
  const listeners = new Set<(ready: boolean, report: ReadinessReport) => void>()
  let ready = false
  let isStarted = false
  let hasStored = false
  let isStopping = false
  let isOddOneOut = false
  /**
   * Redis's clock when this replica's current failure was first noticed, or when another replica last reported since
   * then.
   */
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

  /** Updates `ready` and notifies the listeners. */
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
    // Without Redis there is no information about the others, so this replica stays ready.
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
    // The store may have recovered during the comparison. Then the replica stays ready.
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
