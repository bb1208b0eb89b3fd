import { Cluster, type ClusterOptions, type RedisOptions as ConnectionOptions, Redis } from 'ioredis'
import type { RedisOptions } from './redis-options.ts'

/** A connection to Redis, or to each node of a Redis Cluster. */
export type RedisClient = Redis | Cluster

/** Endless, and soon: the limit is not shared while Redis is away. The random part keeps replicas from coming all at once. */
function reconnectDelayMs(attempt: number): number {
  return Math.min(1000, 50 * 2 ** Math.min(attempt, 5)) * (0.75 + Math.random() / 4)
}

/** A check that could not be sent or got no answer is decided by the fallback: nothing may wait, be kept or be sent again. */
const failFast = {
  enableAutoPipelining: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  // A connection whose peer has vanished is not closed by anyone: without an answer for this long it is made anew.
  socketTimeout: 1000,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 500,
  retryStrategy: reconnectDelayMs,
  // After a failover the old master answers as a replica: ask again who the master is.
  reconnectOnError: (error) => error.message.includes('READONLY'),
} as const satisfies ConnectionOptions

/** Starts to connect, and goes on trying for ever. Errors arrive as `error` events, on a Cluster as `node error` too. */
export function createRedisClient(options: RedisOptions): RedisClient {
  if (options.kind === 'single') return new Redis(options.url, failFast)
  const { username, password } = options
  const tls = options.tls ? {} : undefined
  if (options.kind === 'sentinel') {
    return new Redis({
      ...failFast,
      sentinels: options.sentinels.map((endpoint) => ({ ...endpoint })),
      name: options.name,
      username,
      password,
      sentinelPassword: options.sentinelPassword,
      sentinelCommandTimeout: 500,
      failoverDetector: true,
      sentinelReconnectStrategy: reconnectDelayMs,
      ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    })
  }
  return new Cluster([...options.nodes], clusterOptions({ username, password, tls }))
}

function clusterOptions(login: Pick<ConnectionOptions, 'username' | 'password' | 'tls'>): ClusterOptions {
  const { enableAutoPipelining, enableOfflineQueue, retryStrategy, ...node } = failFast
  return {
    enableAutoPipelining,
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: 500,
    slotsRefreshInterval: 5000,
    // A redirection follows a resharding; more of them take longer than a check may.
    maxRedirections: 3,
    // Certificates name hosts, so with TLS a name must stay a name.
    ...(login.tls && { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions: { ...node, ...login },
  }
}
