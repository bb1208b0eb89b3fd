import { once } from 'node:events'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { settleWithin } from '../deadline.ts'
import type { RedisConnection } from './redis-connection.ts'

/** Delay before reconnecting a driver that has given up by itself, in milliseconds. */
const reviveMs = 100

/** Creates the function that rejects when Redis takes longer than `ms` milliseconds to answer. */
export function createAnswerLimit(ms: number) {
  const late = () => new Error(`Redis did not answer within ${ms} ms`)
  return <T>(answer: Promise<T>): Promise<T> => settleWithin(ms, answer, late)
}

/** Tells whether Redis can count, and why not. `answerMs`: how long Redis may take. */
export function createRedisProbe(redis: RedisConnection, keyPrefix: string, answerMs: number) {
  const counter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    points: Number.MAX_SAFE_INTEGER,
    duration: 1,
    rejectIfRedisNotReady: true,
  })
  const inTime = createAnswerLimit(answerMs)
  let connectionError: Error | undefined
  let isClosed = false

  // Without a listener, Node would end the process.
  const onError = (error?: Error) => {
    connectionError = error
  }
  redis.on('error', onError).on('node error', onError)
  redis.on('ready', () => onError())
  // The driver gives up when Sentinels announce a new master while it queries them.
  redis.on('end', () => {
    setTimeout(() => {
      if (!isClosed) redis.connect().catch(onError)
    }, reviveMs).unref()
  })

  return {
    /** Resolves after the first attempt to connect, successful or not, and after one second at the latest. */
    async settled() {
      if (redis.status === 'ready') return
      const signal = AbortSignal.timeout(1_000)
      // Rejects with the first error, or when the time is over.
      await Promise.race([once(redis, 'ready', { signal }), once(redis, 'close', { signal })]).catch(() => {})
    },
    /** Counts once on the node of this key. Resolves to the reason if that fails, without data and passwords. */
    run: (key: string): Promise<Error | undefined> =>
      inTime(counter.consume(`${key}:probe`)).then(
        () => undefined,
        (error: unknown) =>
          redis.status === 'ready'
            ? plain(error)
            : new Error('no connection to Redis', { cause: connectionError && plain(connectionError) }),
      ),
    close() {
      isClosed = true
      redis.disconnect()
    },
  }
}

/** The driver attaches the command to its errors, including the password of an AUTH. Keeps only the message. */
function plain(error: unknown): Error {
  return new Error(error instanceof Error ? error.message : String(error))
}
