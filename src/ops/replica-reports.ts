import { createDeadlines } from '../deadline.ts'
import type { RedisClient } from '../limit/redis-client.ts'

/** Redis's reply to a report. Times are milliseconds on Redis's clock. */
export interface Exchange {
  nowMs: number
  /** When another replica last reported that it can store. Undefined: none within a minute. */
  newestOtherMs: number | undefined
}

/** Where replicas report to each other that they can store. */
export interface ReplicaReports {
  /**
   * Reports this replica's success, if any, and reads the others' reports. Rejects when Redis is unavailable or slow.
   */
  exchange(stores: boolean): Promise<Exchange>
}

const key = 'storingReplicas'

/** A replica that has not reported for this long is assumed to have ended. */
const forgetMs = 60_000

/** No caller waits for a report, so Redis gets more time than for a rate-limit check. */
const deadlineMs = 1_000

const exchangeScript = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[2] == '1' then
  redis.call('zadd', KEYS[1], now, ARGV[1])
  redis.call('pexpire', KEYS[1], ARGV[3])
end
redis.call('zremrangebyscore', KEYS[1], '-inf', now - ARGV[3])
local newest = redis.call('zrevrange', KEYS[1], 0, 1, 'withscores')
for index = 1, #newest, 2 do
  if newest[index] ~= ARGV[1] then return {now, tonumber(newest[index + 1])} end
end
return {now}`

/** Reports under this replica id. */
export function createReplicaReports(client: RedisClient, replicaId: string): ReplicaReports {
  const deadlines = createDeadlines(deadlineMs)
  return {
    async exchange(stores) {
      const answer = client.eval(exchangeScript, 1, key, replicaId, stores ? '1' : '0', String(forgetMs))
      const tooSlow = () => new Error(`Redis did not answer within ${deadlineMs} ms`)
      const [nowMs, newestOtherMs] = (await deadlines.race(answer, tooSlow)) as [number, number?]
      return { nowMs, newestOtherMs }
    },
  }
}
