import { once } from 'node:events'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { settleWithin } from '../deadline.ts'
import type { Policy } from './policy.ts'
import type { RedisConnection } from './redis-connection.ts'

const keyPrefix = 'submissionsPerClient'

/** How long to wait before reconnecting a driver that has given up by itself, in milliseconds. */
const reviveMs = 100

export interface RedisCountsOptions {
  redis: RedisConnection
  /** How long Redis may take, in milliseconds. */
  answerMs: number
  /** Called with each reason why Redis did not count, without personal data, and without one when it counts again. */
  onTrouble(reason?: string): void
}

/** Counts in the Redis that all replicas share, and knows whether it can. */
export function createRedisCounts({ redis, answerMs, onTrouble }: RedisCountsOptions) {
  const late = () => new Error(`Redis did not answer within ${answerMs} ms`)
  let connectionError: Error | undefined
  let isClosed = false
  let trouble: string | undefined = 'no connection to Redis'
  /** The last key that was not counted: in a Cluster, another node may be well. */
  let failedKey = '{none}'
  let checking: Promise<void> | undefined
  const counters: RateLimiterRedis[] = []
  /** Makes each client's next request ask Redis, even that of a refused one. */
  const forgetRefused = () => {
    for (const counter of counters) counter.deleteInMemoryBlockedAll()
  }

  function fail(error: unknown, key = failedKey) {
    if (isClosed) return
    forgetRefused()
    failedKey = key
    trouble =
      redis.status === 'ready'
        ? messageOf(error)
        : ['no connection to Redis', messageOf(connectionError)].filter(Boolean).join(': ')
    onTrouble(trouble)
  }

  /** Resolves to undefined if Redis did not count. */
  function createCounter({ limit, windowSeconds }: Policy) {
    const counter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points: limit,
      duration: windowSeconds,
      rejectIfRedisNotReady: true,
      // Whom Redis has refused, the library refuses by itself until the window ends.
      inMemoryBlockOnConsumed: limit + 1,
    })
    counters.push(counter)
    return (key: string): Promise<RateLimiterRes | undefined> =>
      settleWithin(answerMs, counter.consume(key), late).catch((outcome: unknown) => {
        if (!(outcome instanceof RateLimiterRes)) {
          fail(outcome, key)
          return undefined
        }
        // Beyond the limit, the library rejects with the result in place of an error, and without a count if it has not
        // asked Redis.
        const { msBeforeNext } = outcome
        // The clock was set back.
        if (msBeforeNext > windowSeconds * 1000) forgetRefused()
        return new RateLimiterRes(0, msBeforeNext, limit + 1)
      })
  }

  const countCheck = createCounter({ limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 })

  async function checkAgain() {
    if ((await countCheck(failedKey.replace(/(:check)?$/, ':check'))) === undefined || isClosed) return
    trouble = undefined
    onTrouble()
  }

  // Without a listener, Node would end the process.
  const onError = (error: Error) => {
    connectionError = error
  }
  redis.on('error', onError).on('node error', onError)
  redis.on('ready', () => {
    connectionError = undefined
  })
  redis.on('close', () => fail(undefined))
  // The driver gives up when Sentinels announce a new master while it queries them.
  redis.on('end', () => {
    setTimeout(() => isClosed || redis.connect().catch(onError), reviveMs).unref()
  })

  return {
    createCounter,
    /** Resolves after the first attempt to connect, successful or not, and after one second at the latest. */
    async settled() {
      if (redis.status === 'ready') return
      const signal = AbortSignal.timeout(1_000)
      // Rejects with the first error, or when the time is over.
      await Promise.race([once(redis, 'ready', { signal }), once(redis, 'close', { signal })]).catch(() => {})
    },
    /** Why Redis cannot count. Undefined: it can. After a failure, asks it again. */
    async check(): Promise<string | undefined> {
      if (trouble !== undefined) {
        checking ??= checkAgain().finally(() => {
          checking = undefined
        })
        await checking
      }
      return trouble
    },
    close() {
      isClosed = true
      redis.disconnect()
    },
  }
}

/** The driver attaches the command to its errors, including the password of an AUTH. Keeps only the message. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
