import { settleWithin } from '../deadline.ts'
import { createHasher, type LimiterOptions } from './limiter.ts'
import type { RedisConnection } from './redis-connection.ts'

/** How long Redis keeps settings that no running replica has any more, in seconds. */
const forgetSeconds = 180

/** Compares the settings that all replicas of an installation must share. */
export function createAgreement(
  redis: RedisConnection,
  { policy, replicas, secret = '' }: Pick<LimiterOptions, 'policy' | 'replicas' | 'secret'>,
  readInstallation: () => Promise<string>,
) {
  const shared = {
    RATE_LIMIT: policy.limit,
    RATE_LIMIT_WINDOW_SECONDS: policy.windowSeconds,
    REPLICAS: replicas,
    RATE_LIMIT_SECRET: createHasher(secret)(''),
  }
  const own = JSON.stringify(shared)

  async function compare(): Promise<string[]> {
    const key = `limiterSettings:${await readInstallation()}`
    const first = (await redis.get(key)) ?? own
    if (first === own) await redis.set(key, own, 'EX', forgetSeconds)
    const others = JSON.parse(first)
    return Object.entries(shared).flatMap(([name, value]) => (value === others[name] ? [] : name))
  }

  /** Finds the names of settings in which this replica differs from the first one. Rejects in an outage. */
  return { findDifferences: () => settleWithin(1_000, compare()) }
}
