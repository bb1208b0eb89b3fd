import type { Config } from '../config/config.ts'
import { settleWithin } from '../deadline.ts'
import { createAgreement } from '../limit/agreement.ts'
import { createHasher, openLimiter } from '../limit/limiter.ts'
import type { Logger } from '../ops/log.ts'
import type { Metrics } from '../ops/metrics.ts'
import { createReplicaReports } from '../ops/readiness.ts'
import type { Store } from '../store/open.ts'

/** Connects to Redis if it is configured, and opens the limiter. Resolves even if Redis is unavailable. */
export async function openLimits(config: Config, log: Logger, metrics: Metrics, identify: Store['identify']) {
  // Loaded on demand, so that a start without Redis does not wait for the driver.
  const redis = config.redis && (await import('../limit/redis-connection.ts')).createRedisConnection(config.redis)
  /** Identifies the replicas of one database. Empty while unknown, or if there can be no other replicas. */
  let installation = ''
  const readInstallation = async () => {
    if (installation === '' && identify) installation = createHasher('')(await identify())
    return installation
  }
  if (redis) await settleWithin(1_000, readInstallation()).catch(() => {})

  const shared = { policy: config.ratePolicy, replicas: config.replicas, secret: config.rateLimitSecret }
  /** The reasons already logged for the current outage: first a broken connection, then perhaps its cause. */
  const reasons = new Set<string>()
  const limiter = await openLimiter({
    ...shared,
    redis,
    readInstallation: () => installation,
    onDecision: metrics.onDecision,
    onTrouble(reason) {
      if (reason === undefined) {
        reasons.clear()
        log.info({ mode: 'shared' }, 'counting in Redis')
      } else if (!reasons.has(reason)) {
        reasons.add(reason)
        log.warn({ mode: 'fallback', reason }, 'counting in this replica')
      }
    },
  })

  const agreement = redis && createAgreement(redis, shared, readInstallation)
  let disagreement: string | undefined

  return {
    limiter,
    /** Undefined without Redis, or if only one process can use the database. */
    reports: redis && identify && createReplicaReports(redis, readInstallation),
    readRedisClock:
      redis &&
      (async () => {
        const [seconds = 0, microseconds = 0] = await redis.time()
        return seconds * 1_000 + microseconds / 1_000
      }),
    /** Compares the settings with those of the other replicas. Rejects in an outage. */
    async compareSettings(): Promise<void> {
      if (!agreement) return
      const settings = await agreement.findDifferences()
      disagreement = settings.length === 0 ? undefined : `another replica has another ${settings.join(', ')}`
      if (disagreement) log.warn({ settings }, 'replicas disagree about the rate limit')
    },
    async findTroubles(): Promise<string[]> {
      const troubles = [await limiter.findTrouble(), disagreement]
      return troubles.filter((trouble) => trouble !== undefined).map((trouble) => `limiter: ${trouble}`)
    },
  }
}
