import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { createReplicaReports } from '../../src/ops/replica-reports.ts'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'

suite("a replica's report in Redis", { skip: skipWithoutEngine }, () => {
  test('is timestamped by Redis and read by other replicas only', async () => {
    const client = new Redis(await redisUrl())
    try {
      const [first, second, third] = ['first', 'second', 'third'].map((id) => createReplicaReports(client, id))
      assert(first && second && third)
      assert.equal((await first.exchange(true)).newestOtherMs, undefined)
      const told = await second.exchange(true)
      assert(told.newestOtherMs !== undefined && told.newestOtherMs <= told.nowMs)
      assert.equal((await first.exchange(false)).newestOtherMs, told.nowMs)
      assert.equal((await third.exchange(false)).newestOtherMs, told.nowMs)
      const again = await first.exchange(true)
      assert.equal(again.newestOtherMs, told.nowMs)
      assert.equal((await second.exchange(false)).newestOtherMs, again.nowMs)
      assert((await client.pttl('storingReplicas')) > 0, 'nothing is left behind by replicas that are gone')
    } finally {
      client.disconnect()
    }
  })
})
