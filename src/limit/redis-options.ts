/** Where a Redis node or a Sentinel listens. */
export interface RedisEndpoint {
  host: string
  port: number
}

interface RedisLogin {
  username?: string | undefined
  password?: string | undefined
  /** Whether every connection, those to Sentinels included, is TLS. */
  tls: boolean
}

/** Which Redis counts for all replicas: one server by URL (`rediss:` for TLS), a Cluster, or whatever master Sentinels name. */
export type RedisOptions =
  | { kind: 'single'; url: string }
  | ({ kind: 'cluster'; nodes: readonly RedisEndpoint[] } & RedisLogin)
  | ({
      kind: 'sentinel'
      sentinels: readonly RedisEndpoint[]
      /** The name under which the Sentinels watch the master. */
      name: string
      sentinelPassword?: string | undefined
    } & RedisLogin)
