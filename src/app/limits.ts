import type { Config } from '../config/config.ts'
import { settleWithin } from '../deadline.ts'
import { createHasher, openLimiter } from '../limit/limiter.ts'
import type { RedisConnection } from '../limit/redis-connection.ts'
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

  /** The reasons already logged for the current outage: first a broken connection, then perhaps its cause. */
  const reasons = new Set<string>()
  const limiter = await openLimiter({
    policy: config.ratePolicy,
    redis,
    replicas: config.replicas,
    secret: config.rateLimitSecret,
    readInstallation: () => installation,
    onDecision: metrics.onDecision,
    onTrouble(reason) {
      if (reason === undefined) {
        reasons.clear()
        log.info({ mode: 'shared' }, 'Redis counts again')
      } else if (!reasons.has(reason)) {
        reasons.add(reason)
        log.warn({ mode: 'fallback', reason }, 'counting in this replica')
      }
    },
  })

  const shared = {
    RATE_LIMIT: config.ratePolicy.limit,
    RATE_LIMIT_WINDOW_SECONDS: config.ratePolicy.windowSeconds,
    REPLICAS: config.replicas,
    RATE_LIMIT_SECRET: createHasher(config.rateLimitSecret ?? '')(''),
  }
  let disagreement: string | undefined

  /** The names of the settings in which this replica differs from the first one of its installation. */
  async function findDifferingSettings(connection: RedisConnection) {
    const key = `limiterSettings:${await readInstallation()}`
    const own = JSON.stringify(shared)
    const first = (await connection.get(key)) ?? own
    if (first === own) await connection.set(key, own, 'EX', forgetSeconds)
    const others = JSON.parse(first)
    return Object.entries(shared).flatMap(([name, value]) => (value === others[name] ? [] : name))
  }

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
      if (!redis) return
      const settings = await settleWithin(1_000, findDifferingSettings(redis))
      disagreement = settings.length === 0 ? undefined : `another replica has another ${settings.join(', ')}`
      if (disagreement) log.warn({ settings }, 'replicas disagree about the rate limit')
    },
    async findTroubles(): Promise<string[]> {
      const troubles = [await limiter.findTrouble(), disagreement]
      return troubles.filter((trouble) => trouble !== undefined).map((trouble) => `limiter: ${trouble}`)
    },
  }
}

/** How long Redis keeps settings that no running replica has any more, in seconds. */
const forgetSeconds = 180
