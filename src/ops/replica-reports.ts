import type { RedisClient } from '../limit/redis-client.ts'

/** Where the replicas count together how often they could store. */
export interface ReplicaReports {
  /** Counts a success of this replica. */
  add(): Promise<void>
  /** Another value than before: a replica could store in the meantime. Undefined: none has for a minute. */
  read(): Promise<string | undefined>
}

const key = 'storingReplicas'

/** The count is forgotten when no replica has stored for this long, in milliseconds. */
const forgetMs = 60_000

/** Rejects when Redis is unavailable or slow. */
export function createReplicaReports(client: RedisClient): ReplicaReports {
  return {
    async add() {
      await client.incr(key)
      await client.pexpire(key, forgetMs)
    },
    read: async () => (await client.get(key)) ?? undefined,
  }
}
