import { Cluster, type ClusterOptions, type RedisOptions as ConnectionOptions, Redis } from 'ioredis'

/** A connection to Redis, or to each node of a Redis Cluster. */
export type RedisConnection = Redis | Cluster

interface Login {
  username?: string | undefined
  password?: string | undefined
  /** Whether all connections use TLS, including those to Sentinels. */
  tls: boolean
}

type Endpoints = { host: string; port: number }[]

/** The Redis that all replicas share: a server (`rediss:` for TLS), a Cluster, or the master that Sentinels name. */
export type RedisOptions =
  | { kind: 'single'; url: string }
  | ({ kind: 'cluster'; nodes: Endpoints } & Login)
  | ({ kind: 'sentinel'; sentinels: Endpoints; name: string; sentinelPassword?: string | undefined } & Login)

/** Commands fail fast, without queueing or resending, because a replica can count by itself. */
const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  enableAutoPipelining: true,
  // A server that refuses the connection answers the first command, which must not be one whose answer is ignored.
  disableClientInfo: true,
  // A connection whose peer has vanished never closes, so it is replaced after this long without an answer.
  socketTimeout: 5000,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 500,
  // After a failover the old master answers as a replica. Reconnecting finds the new master.
  reconnectOnError: (error) => error.message.includes('READONLY'),
} as const satisfies ConnectionOptions

/** Starts connecting and never gives up. Errors are emitted as `error` events; a Cluster emits `node error` too. */
export function createRedisConnection(options: RedisOptions): RedisConnection {
  if (options.kind === 'single') return new Redis(options.url, failFast)
  const tls = options.tls ? {} : undefined
  if (options.kind === 'sentinel') {
    const { kind, tls: _, ...sentinel } = options
    return new Redis({
      ...failFast,
      ...sentinel,
      sentinelCommandTimeout: 500,
      failoverDetector: true,
      ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    })
  }
  const { username, password } = options
  const { enableOfflineQueue, enableAutoPipelining, ...node } = failFast
  return new Cluster(options.nodes, {
    enableAutoPipelining,
    enableOfflineQueue,
    slotsRefreshTimeout: 500,
    // A resharding causes one redirection. More than a few would take too long.
    maxRedirections: 3,
    // Certificates name hosts, so with TLS, host names must not be resolved to addresses.
    ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions: { ...node, username, password, tls },
  } satisfies ClusterOptions)
}
