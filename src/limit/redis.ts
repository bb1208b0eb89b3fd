import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { createDeadlines } from '../deadline.ts'
import type { Policy, Usage } from './decision.ts'
import type { RedisClient } from './redis-client.ts'

/** Counts the requests of clients for every replica that uses the same Redis. */
export interface RedisCounter {
  /** Counts one request. Rejects with an `Error` when Redis is away, slow or does not take writes. */
  count(clientKey: string): Promise<Usage>
  /** Resolves when Redis counts again where it failed last; rejects as `count` does. */
  probe(): Promise<void>
  /** Resolves when the client has connected or has failed to for the first time, or after a second. */
  settled(): Promise<void>
  close(): void
}

/** A Redis that takes longer than this is treated as absent (contract §6). */
const usualDeadlineMs = 50

/** How soon a driver that has ended by itself is begun anew. */
const reviveMs = 100

/**
 * Counts `ARGV[1]` requests in a window of `ARGV[2]` seconds that starts with the first one, in two commands where the
 * library's own script takes three. A key that lost its end in some way (restored, persisted) is given one.
 */
const countScript = `
local used = redis.call('incrby', KEYS[1], ARGV[1])
local left = -1
if used > tonumber(ARGV[1]) then left = redis.call('pttl', KEYS[1]) end
if left < 0 then
  redis.call('expire', KEYS[1], ARGV[2])
  left = ARGV[2] * 1000
end
return {used, left}`

/**
 * The name of a client's counter, `submissionsPerClient:{<22 base64url characters>}`. The braces keep a key that is
 * derived from it in the same slot of a Cluster.
 */
function submissionsPerClient(hashedKey: string): string {
  return `submissionsPerClient:{${hashedKey}}`
}

/** Counts on a Redis. `hashKey` makes the part of the key that stands for the client. */
export function createRedisCounter(options: {
  client: RedisClient
  policy: Policy
  hashKey: (clientKey: string) => string
  /** How long Redis may take before it counts as absent. */
  deadlineMs?: number | undefined
}): RedisCounter {
  const { client, policy, hashKey, deadlineMs = usualDeadlineMs } = options
  // One after the other, so that a process which stood still for the first (a busy CPU, a long garbage collection) has
  // the second to send and read.
  const patience = createDeadlines(deadlineMs * 0.8)
  const lastChance = createDeadlines(deadlineMs * 0.2)
  const tooSlow = new Error(`Redis did not answer within ${deadlineMs} ms`)
  const shared = {
    storeClient: client,
    keyPrefix: '',
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: countScript,
  }
  const limiter = new RateLimiterRedis({ ...shared, points: policy.limit, duration: policy.windowSeconds })
  const prober = new RateLimiterRedis({ ...shared, points: Number.MAX_SAFE_INTEGER, duration: 1 })
  let connectionError: Error | undefined
  let failedKey = submissionsPerClient('none')

  // Without listeners Node would end the process; what is amiss is told with the check that fails for it.
  const onError = (error: Error) => {
    connectionError = error
  }
  client.on('error', onError)
  client.on('node error', onError)

  let closed = false
  // The driver ends for good when Sentinels announce a new master just while it asks them for one: it begins anew.
  client.on('end', () => {
    setTimeout(() => {
      if (!closed) client.connect().catch(onError)
    }, reviveMs).unref()
  })

  async function consume(counter: RateLimiterRedis, key: string): Promise<Usage> {
    const answer = counter.consume(key)
    let outcome: unknown
    try {
      outcome = await patience.race(answer, () => tooSlow)
    } catch (error) {
      outcome = error === tooSlow ? await lastChance.race(answer, () => tooSlow).catch((last) => last) : error
    }
    // The library resolves for a client within its limit; it rejects with a result for one that is over it, and with an
    // Error for an outage.
    if (outcome instanceof RateLimiterRes) return { used: outcome.consumedPoints, msLeft: outcome.msBeforeNext }
    if (counter === limiter) failedKey = key
    throw plainError(outcome, client.status === 'ready' ? undefined : connectionError)
  }

  return {
    count: (clientKey) => consume(limiter, submissionsPerClient(hashKey(clientKey))),
    // The same script in the same slot of a Cluster: a node that only reads, or another that is healthy, proves nothing.
    async probe() {
      await consume(prober, `${failedKey}:probe`)
    },
    settled: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, 1000)
        const settle = () => {
          clearTimeout(timer)
          resolve()
        }
        if (client.status === 'ready') settle()
        for (const event of ['ready', 'error', 'close']) client.once(event, settle)
      }),
    close() {
      closed = true
      client.disconnect()
    },
  }
}

/** The driver hangs the command onto its errors, with a password if it was AUTH: only the message goes on. */
function plainError(error: unknown, connectionError: Error | undefined): Error {
  const cause = connectionError && new Error(connectionError.message)
  return new Error(error instanceof Error ? error.message : String(error), { cause })
}
