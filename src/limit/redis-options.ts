/** How to reach the Redis that the replicas share: one server, a Redis Cluster, or a master that Sentinels name. */
export type RedisOptions =
  | { kind: 'single'; url: string }
  | {
      kind: 'cluster'
      nodes: { host: string; port: number }[]
      username: string | undefined
      password: string | undefined
      tls: boolean
    }
  | {
      kind: 'sentinel'
      sentinels: { host: string; port: number }[]
      /** The name of the master that the Sentinels watch. */
      name: string
      username: string | undefined
      password: string | undefined
      sentinelPassword: string | undefined
      tls: boolean
    }
