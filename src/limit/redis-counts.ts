import { once } from 'node:events'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { settleWithin } from '../deadline.ts'
import type { Policy } from './policy.ts'
import type { RedisConnection } from './redis-connection.ts'

/** Why a connection that is open is not ready. The driver swallows DENIED. */
const unready = 'it is loading its data, hangs, or is in protected mode (DENIED): set a password there and in REDIS_URL'

/** Counts in the Redis that all replicas share. Waits at most `answerMs`, and remembers why it could not count. */
export function createRedisCounts(redis: RedisConnection, answerMs: number, onTrouble: (reason?: string) => void) {
  const late = () => new Error(`Redis did not answer within ${answerMs} ms`)
  let connectionError: Error | undefined
  let isClosed = false
  let trouble: string | undefined = 'no connection to Redis'
  /** The last key that was not counted. In a Cluster, `findTrouble` must ask the same node. */
  let failedKey = '{none}'
  const limiters: RedisLimiter[] = []

  function fail(error: unknown, key = failedKey) {
    if (isClosed) return
    // The next request of each client asks Redis again, even if the client was refused.
    for (const limiter of limiters) limiter.deleteInMemoryBlockedAll()
    failedKey = key
    // Keep the messages only: the driver attaches the command to its errors, such as an AUTH with its password.
    const noConnection = ['no connection to Redis', connectionError?.message].filter(Boolean).join(': ')
    trouble = redis.status === 'ready' && error instanceof Error ? error.message : noConnection
    if (trouble.includes('max number of clients')) trouble += ': raise its maxclients'
    onTrouble(trouble)
  }

  class RedisLimiter extends RateLimiterRedis {
    constructor({ limit, windowSeconds }: Policy) {
      super({
        storeClient: redis,
        keyPrefix: 'submissionsPerClient',
        points: limit,
        duration: windowSeconds,
        rejectIfRedisNotReady: true,
        // A client that Redis has refused is refused by the library until the window ends.
        inMemoryBlockOnConsumed: limit + 1,
      })
      limiters.push(this)
    }

    _upsert(key: string, ...rest: unknown[]): Promise<unknown> {
      // @ts-expect-error: The library's README describes this hook of its stores, but its types omit it.
      return settleWithin(answerMs, super._upsert(key, ...rest), late).catch((error) => {
        fail(error, this.parseKey(key))
        throw error
      })
    }
  }

  const probe = new RedisLimiter({ limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 })

  const onError = (error?: Error) => {
    connectionError = error
  }
  redis.on('error', onError).on('node error', onError)
  redis.on('connect', () => onError(new Error(unready))).on('ready', () => onError())
  redis.on('close', () => fail(undefined))
  // The driver gives up if Sentinels announce a new master while it queries them.
  redis.on('end', () => {
    setTimeout(() => isClosed || redis.connect().catch(onError), 100).unref()
  })

  return {
    createLimiter: (policy: Policy) => new RedisLimiter(policy),
    /** Resolves after the first attempt to connect, successful or not, and after one second at the latest. */
    async waitForFirstAttempt() {
      if (redis.status === 'ready') return
      const signal = AbortSignal.timeout(1_000)
      // Rejects with the first error, or at the end of the time.
      await Promise.race([once(redis, 'ready', { signal }), once(redis, 'close', { signal })]).catch(() => {})
    },
    /** Resolves to the reason if Redis cannot count. After a failure, asks it again. */
    async findTrouble(): Promise<string | undefined> {
      if (trouble === undefined) return undefined
      const counted = await probe.consume(failedKey.replace(/(:check)?$/, ':check')).catch(() => undefined)
      if (counted && trouble !== undefined && !isClosed) {
        trouble = undefined
        onTrouble()
      }
      return trouble
    },
    close() {
      isClosed = true
      redis.disconnect()
    },
  }
}
