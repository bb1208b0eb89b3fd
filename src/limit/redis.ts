import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { siteNetwork } from './client-key.ts'
import type { ClientUsage, Policy } from './decision.ts'
import { createBatchedClient } from './redis-batch.ts'
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
  const shared = {
    storeClient: createBatchedClient(client, deadlineMs),
    keyPrefix: '',
    // Fail at once while there is no connection.
    rejectIfRedisNotReady: true,
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
  client.on('ready', () => {
    connectionError = undefined
  })
  client.on('error', onError)
  client.on('node error', onError)

  let closed = false
  // The driver gives up when Sentinels announce a new master while it queries them. Reconnect it.
  client.on('end', () => {
    setTimeout(() => {
      if (!closed) client.connect().catch(onError)
    }, reviveMs).unref()
  })

  // The library resolves for a client within its limit, rejects with a result for one over it, and rejects with an Error
  // for an outage.
  const consume = (counter: RateLimiterRedis, key: string, count: number): Promise<ClientUsage> =>
    counter.consume(key, count).then(readUsage, (outcome: unknown) => {
      if (outcome instanceof RateLimiterRes) return readUsage(outcome)
      if (counter === limiter) failedKey = key
      throw plainError(outcome, client.status === 'ready' ? undefined : connectionError)
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

/** The library passes on what it got in place of the milliseconds: here a text with three numbers, or one. */
function readUsage({ consumedPoints, msBeforeNext }: RateLimiterRes): ClientUsage {
  const text = msBeforeNext as unknown as string
  if (!text.includes(' ')) return { client: { used: consumedPoints, msLeft: Number(text) }, site: undefined }
  const [msLeft = 0, siteUsed, siteMsLeft = 0] = text.split(' ').map(Number)
  return {
    client: { used: consumedPoints, msLeft },
    site: siteUsed === undefined ? undefined : { used: siteUsed, msLeft: siteMsLeft },
  }
}

/** What the driver and the library say when there is no connection. It names their options, which no operator knows. */
const unconnected =
  /^Redis connection is not ready|^Reached the max retries|^Stream isn't writeable|^Connection is closed/

/** The driver attaches the command to its errors, including the password of an AUTH. Keep only the message. */
function plainError(error: unknown, connectionError: Error | undefined): Error {
  const cause = connectionError && new Error(connectionError.message)
  const message = error instanceof Error ? error.message : String(error)
  return new Error(unconnected.test(message) ? 'no connection to Redis' : message, { cause })
}
