import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import pg from 'pg'
import { postgresUrl, redisUrl, skipWithoutEngine } from './backends.ts'

test('each test gets a Redis database and a PostgreSQL database of its own', { skip: skipWithoutEngine }, async () => {
  const [first, second] = await Promise.all([redisUrl(), redisUrl()])
  assert.notEqual(first, second)
  const redis = new Redis(first)
  assert.equal(await redis.dbsize(), 0)
  redis.disconnect()
  const client = new pg.Client({ connectionString: await postgresUrl() })
  await client.connect()
  assert.deepEqual((await client.query('SELECT 1 + 1 AS sum')).rows, [{ sum: 2 }])
  await client.end()
})
