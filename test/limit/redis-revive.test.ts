import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createRedisCounter } from '../../src/limit/redis.ts'
import { createRedisClient } from '../../src/limit/redis-client.ts'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { policy } from './limiters.ts'

test('a driver that gave up is reconnected, and one that was closed is not', {
  skip: skipWithoutEngine,
  timeout: 20_000,
}, async () => {
  const client = createRedisClient({ kind: 'single', url: await redisUrl() })
  const counter = createRedisCounter({ client, policy, hashKey: (key) => key })
  await counter.settled()
  // What the driver does when a failover is announced while it asks Sentinels for the master.
  client.disconnect()
  await once(client, 'end')
  await assert.rejects(counter.count('192.0.2.1'))
  await once(client, 'ready')
  assert.equal((await counter.count('192.0.2.1')).client.used, 1)

  counter.close()
  await once(client, 'end')
  await assert.rejects(once(client, 'connecting', { signal: AbortSignal.timeout(300) }), { name: 'AbortError' })
})
