import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { createDeadlines } from '../deadline.ts'
import { siteNetwork } from './client-key.ts'
import type { ClientUsage, Policy } from './decision.ts'
import type { RedisClient } from './redis-client.ts'

/** Counts clients' requests across all replicas that use the same Redis. */
export interface RedisCounter {
  /** Counts one request. Rejects with an `Error` when Redis is unavailable, slow or read-only. */
  count(clientKey: string): Promise<ClientUsage>
  /** Reads a client's count without changing it. Rejects like `count`. */
  peek(clientKey: string): Promise<ClientUsage>
  /** Resolves when the part of Redis that failed last can count again. Rejects like `count`. */
  probe(): Promise<void>
  /** Resolves after the client's first connection attempt, successful or not, and after one second at the latest. */
  settled(): Promise<void>
  close(): void
}

/** A Redis that takes longer than this counts as unavailable (docs/specification.md §6). */
const usualDeadlineMs = 50

/** Delay before reconnecting a driver that has given up by itself. */
const reviveMs = 100

/**
 * The library's script, extended from one key to two. Adds `ARGV[1]` requests (0 only reads) to the counters of a
 * client (`KEYS[1]`) and of its site, if any, in windows of `ARGV[2]` seconds that start with the first request.
 * Requests beyond the client's own limit (`ARGV[3]`) are not counted for the site. The site's key is the client's key
 * up to the end of the hash tag, so both are in the same slot of a Cluster. A key that has lost its expiry (restored or
 * persisted) gets a new one.
 */
const countScript = `
local count = tonumber(ARGV[1])
local function usage(key)
  local used
  if count > 0 then used = redis.call('incrby', key, count) else used = tonumber(redis.call('get', key) or 0) end
  local left = -1
  if used > count then left = redis.call('pttl', key) end
  if left < 0 then
    if count > 0 then redis.call('expire', key, ARGV[2]) end
    left = ARGV[2] * 1000
  end
  return used, left
end
local used, left = usage(KEYS[1])
local site = string.match(KEYS[1], '^(.*})[%w_-]+$')
if site and used <= tonumber(ARGV[3]) then
  local siteUsed, siteLeft = usage(site)
  return {used, {left, siteUsed, siteLeft}}
end
return {used, {left}}`

/**
 * The key of a client's counter: `submissionsPerClient:{<client>}` for IPv4, `submissionsPerClient:{<site>}<client>`
 * for IPv6. The key of a site's counter is `submissionsPerClient:{<site>}`. Each part is 22 base64url characters.
 */
function createCounterKey(hashKey: (network: string) => string): (clientKey: string) => string {
  return (clientKey) => {
    const site = siteNetwork(clientKey)
    const client = hashKey(clientKey)
    return site === undefined ? `submissionsPerClient:{${client}}` : `submissionsPerClient:{${hashKey(site)}}${client}`
  }
}

/** Counts on a Redis. `hashKey` hashes a client's network for its key. */
export function createRedisCounter(options: {
  client: RedisClient
  policy: Policy
  hashKey: (clientKey: string) => string
  /** How long Redis may take before it counts as unavailable, in milliseconds. */
  deadlineMs?: number | undefined
}): RedisCounter {
  const { client, policy, hashKey, deadlineMs = usualDeadlineMs } = options
  // Two timers in sequence. If the process stalls during the first one (a busy CPU, a long garbage collection), the
  // second one still leaves time to send the command and read the answer.
  const patience = createDeadlines(deadlineMs * 0.8)
  const lastChance = createDeadlines(deadlineMs * 0.2)
  const tooSlow = new Error(`Redis did not answer within ${deadlineMs} ms`)
  const shared = {
    storeClient: client,
    keyPrefix: '',
    // Fail at once while there is no connection.
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: countScript,
  }
  const limiter = new RateLimiterRedis({ ...shared, points: policy.limit, duration: policy.windowSeconds })
  const prober = new RateLimiterRedis({ ...shared, points: Number.MAX_SAFE_INTEGER, duration: 1 })
  const keyOf = createCounterKey(hashKey)
  let connectionError: Error | undefined
  let failedKey = 'submissionsPerClient:{none}'

  // Without a listener, Node would end the process. The error is reported with the check that it makes fail.
  const onError = (error: Error) => {
    connectionError = error
  }
  client.on('error', onError)
  client.on('node error', onError)

  let closed = false
  // The driver gives up when Sentinels announce a new master while it queries them. Reconnect it.
  client.on('end', () => {
    setTimeout(() => {
      if (!closed) client.connect().catch(onError)
    }, reviveMs).unref()
  })

  // One promise around the library's own: this runs for every submission.
  const consume = (counter: RateLimiterRedis, key: string, count: number): Promise<ClientUsage> =>
    new Promise((resolve, reject) => {
      let deadline = patience.start(() => {
        deadline = lastChance.start(() => fail(tooSlow))
      })
      function fail(error: unknown): void {
        if (counter === limiter) failedKey = key
        reject(plainError(error, client.status === 'ready' ? undefined : connectionError))
      }
      // The library resolves for a client within its limit, rejects with a result for one over it, and rejects with an
      // Error for an outage.
      const settle = (outcome: unknown) => {
        deadline.cancel()
        if (outcome instanceof RateLimiterRes) resolve(readUsage(outcome))
        else fail(outcome)
      }
      counter.consume(key, count).then(settle, settle).catch(fail)
    })

  return {
    count: (clientKey) => consume(limiter, keyOf(clientKey), 1),
    peek: (clientKey) => consume(limiter, keyOf(clientKey), 0),
    // The same script in the same Cluster slot. An answer from a read-only node or another node would prove nothing.
    async probe() {
      await consume(prober, `${failedKey}:probe`, 1)
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

/** The library passes on whatever the script returns in place of the milliseconds: here three numbers, or one. */
function readUsage({ consumedPoints, msBeforeNext }: RateLimiterRes): ClientUsage {
  const [msLeft = 0, siteUsed, siteMsLeft = 0] = msBeforeNext as unknown as number[]
  return {
    client: { used: consumedPoints, msLeft },
    site: siteUsed === undefined ? undefined : { used: siteUsed, msLeft: siteMsLeft },
  }
}

/** The driver attaches the command to its errors, including the password of an AUTH. Keep only the message. */
function plainError(error: unknown, connectionError: Error | undefined): Error {
  const cause = connectionError && new Error(connectionError.message)
  return new Error(error instanceof Error ? error.message : String(error), { cause })
}
