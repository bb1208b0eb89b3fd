import type { RedisConnection } from '../limit/redis-connection.ts'

export interface ReadinessReport {
  ready: boolean
  /** Such as `database: postgres: ECONNREFUSED`. If not ready, the first is the reason. */
  troubles: readonly string[]
}

/** Pause between two reports of a replica that can store, in milliseconds. */
const reportEveryMs = 2_000
/** Pause between two comparisons of a failing replica: longer, so that every other replica has reported in between. */
export const compareEveryMs = 2_500

/** The single source for `/readyz`, gRPC health, metrics and the log. */
export type Readiness = ReturnType<typeof createReadiness>

/** Whether to send traffic here: docs/specification.md §10, for the reasons in docs/decisions/0009-readiness.md. */
export function createReadiness(options: {
  /** Resolves to the reason if leads cannot be stored, within a second. */
  findStoreTrouble(): Promise<string | undefined>
  /** Undefined without Redis: then this replica never counts as the only one that fails. */
  reports: ReturnType<typeof createReplicaReports> | undefined
  /** Troubles that do not make the replica unready. */
  findOtherTroubles(): Promise<readonly string[]>
}) {
  const { findStoreTrouble, reports, findOtherTroubles } = options
  const listeners: ((report: ReadinessReport) => void)[] = []
  let isReady = false
  let isStarted = false
  let hasStored = false
  let isStopping = false
  /** The count at the last comparison, if there was one since this replica last stored. */
  let lastCount: string | undefined
  /** How many comparisons in a row have found that others store. */
  let comparisons = 0
  let timer: NodeJS.Timeout | undefined

  /** Whether this replica cannot store and others can, found three times in case a packet was lost. */
  const canOnlyOthersStore = () => comparisons >= 3

  async function judge(): Promise<ReadinessReport> {
    const others = await findOtherTroubles()
    return conclude(await findStoreTrouble(), others)
  }

  function conclude(trouble: string | undefined, others: readonly string[]): ReadinessReport {
    if (trouble === undefined) {
      hasStored = true
      lastCount = undefined
      comparisons = 0
    }
    // Waiting does not help if a table, a column or a function is missing.
    if (trouble !== undefined && /\b(sqlite_1|42P01|42703|42883)\b/.test(trouble)) hasStored = false
    const troubles = [...others]
    if (canOnlyOthersStore()) troubles.unshift('other replicas can store')
    if (trouble !== undefined) troubles.unshift(`database: ${trouble}`)
    if (isStopping) troubles.unshift('stopping')
    const report = { ready: isStarted && hasStored && !isStopping && !canOnlyOthersStore(), troubles }
    if (report.ready !== isReady) for (const listener of listeners) listener(report)
    isReady = report.ready
    return report
  }

  /** Compares with the other replicas. Without an answer from Redis, this one stays ready. */
  async function compare(): Promise<void> {
    const count = await reports?.read().catch(() => undefined)
    const hasRisen = count !== undefined && lastCount !== undefined && count !== lastCount
    comparisons = hasRisen ? comparisons + 1 : 0
    lastCount = count ?? lastCount
  }

  async function round(): Promise<void> {
    const trouble = await findStoreTrouble()
    if (trouble === undefined) await reports?.add().catch(() => {})
    else await compare()
    // The store may have recovered during the comparison.
    await judge()
    if (!isStopping) timer = setTimeout(round, trouble === undefined ? reportEveryMs : compareEveryMs).unref()
  }

  return {
    judge,
    isReady: () => isReady,
    canOnlyOthersStore,
    onChange: (listener: (report: ReadinessReport) => void) => void listeners.push(listener),
    /** Call this once all listeners accept connections; until then the replica is unready. */
    async start(): Promise<ReadinessReport> {
      isStarted = true
      const report = await judge()
      void round()
      return report
    },
    stop() {
      isStopping = true
      clearTimeout(timer)
      conclude(undefined, [])
    },
  }
}

/** Counts in Redis how often the replicas of one installation could store. Rejects if Redis or the database is down. */
export function createReplicaReports(redis: RedisConnection, readInstallation: () => Promise<string>) {
  const readKey = async () => `storingReplicas:${await readInstallation()}`
  return {
    /** Counts a success of this replica. The count is forgotten when none has stored for a minute. */
    async add(): Promise<void> {
      const key = await readKey()
      await Promise.all([redis.incr(key), redis.pexpire(key, 60_000)])
    },
    /** The count, which changes whenever a replica could store. Undefined if none could for a minute. */
    read: async () => (await redis.get(await readKey())) ?? undefined,
  }
}
