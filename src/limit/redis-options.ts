/** The address of a Redis node or a Sentinel. */
export interface RedisEndpoint {
  host: string
  port: number
}

interface RedisLogin {
  username?: string | undefined
  password?: string | undefined
  /** Whether all connections use TLS, including those to Sentinels. */
  tls: boolean
}

/**
 * The Redis that all replicas share: one server by URL (`rediss:` for TLS), a Cluster, or the master that Sentinels
 * name.
 */
export type RedisOptions =
  | { kind: 'single'; url: string }
  | ({ kind: 'cluster'; nodes: readonly RedisEndpoint[] } & RedisLogin)
  | ({
      kind: 'sentinel'
      sentinels: readonly RedisEndpoint[]
      /** The Sentinels' name for the master. */
      name: string
      sentinelPassword?: string | undefined
    } & RedisLogin)
