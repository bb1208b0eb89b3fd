import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { createClientKey } from '../../src/limit/client-key.ts'
import { replicaShare } from '../../src/limit/fallback.ts'
import type { RedisOptions } from '../../src/limit/redis-options.ts'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { runningMs } from '../support/stalls.ts'
import { until } from '../support/until.ts'
import { allowedOf, observe, patient } from './limiters.ts'
import { startRedisServer } from './redis-server.ts'

const shares: [limit: number, replicas: number, expected: number][] = [
  [10, 1, 10],
  [10, 3, 3],
  [10, 10, 1],
  [10, 11, 1],
  [1, 2, 1],
]

for (const [limit, replicas, expected] of shares) {
  test(`without Redis each of ${replicas} replicas admits ${expected} of ${limit}`, () => {
    assert.deepEqual(replicaShare({ limit, windowSeconds: 60 }, replicas), { limit: expected, windowSeconds: 60 })
  })
}

const single = (url: string): RedisOptions => ({ kind: 'single', url })

/** The result, and how many milliseconds it took, without stalls of the machine. */
async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const started = runningMs()
  return [await work(), runningMs() - started]
}

suite('while Redis stalls', { skip: skipWithoutEngine, timeout: 60_000 }, () => {
  test("requests are decided at once within the replica's share, and Redis takes over again by itself", async () => {
    await using server = await startRedisServer()
    await using one = await observe({ redis: single(server.url), replicas: 3 })
    await one.reaches('shared')
    await server.pause()
    assert.equal(await allowedOf(20, [one.limiter], '192.0.2.2'), 3)
    assert.equal(one.limiter.mode, 'fallback')
    assert.match(one.modes.at(-1)?.cause?.message ?? '', /did not answer within 50 ms/)

    // A Redis that is known to stall is not waited for: these answers come before any timer fires.
    const early = setImmediate(() => assert.fail('it waited'))
    assert.equal(await allowedOf(20, [one.limiter], '192.0.2.3'), 3)
    clearImmediate(early)
    const refused = await one.limiter.consume('192.0.2.3')
    assert.deepEqual([refused.limit, refused.remaining, refused.resetSeconds], [3, 0, 60])

    await server.unpause()
    await one.reaches('shared')
  })

  test('a client over its limit stays refused', async () => {
    await using server = await startRedisServer()
    await using one = await observe({ redis: single(server.url), deadlineMs: 300 })
    assert.equal(await allowedOf(10, [one.limiter], '192.0.2.1'), 10)
    await server.pause()
    await one.limiter.consume('192.0.2.2')
    assert.equal(one.limiter.mode, 'fallback')
    one.clock.nowMs += 59_000
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, false)
    one.clock.nowMs += 2000
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    await server.unpause()
  })
})

suite('when Redis vanishes', { skip: skipWithoutEngine, timeout: 60_000 }, () => {
  test('requests are decided at once, and the limit is shared again after Redis restarts', async () => {
    await using server = await startRedisServer()
    await using one = await observe({ redis: single(server.url), replicas: 2, ...patient })
    await server.kill()
    const [allowed, ms] = await timed(() => allowedOf(20, [one.limiter], '192.0.2.1'))
    assert.equal(allowed, 5)
    assert.ok(ms < patient.deadlineMs / 2, `nobody waits for an answer: ${ms} ms`)
    assert.equal(one.limiter.mode, 'fallback')

    await server.restart()
    await one.reaches('shared')
    assert.equal(await allowedOf(20, [one.limiter], '192.0.2.2'), 10)
  })

  test('a limiter starts without it, and uses it once it is available', async () => {
    await using server = await startRedisServer()
    await server.kill()
    const [one, ms] = await timed(() => observe({ redis: single(server.url), replicas: 2, ...patient }))
    await using late = one
    assert.ok(ms < patient.deadlineMs / 2, `it does not wait for an answer: ${ms} ms`)
    assert.equal(late.limiter.mode, 'fallback')
    assert.match(String(late.modes[0]?.cause?.cause), /ECONNREFUSED/)
    assert.equal(await allowedOf(20, [late.limiter], '192.0.2.1'), 5)

    await server.restart()
    await late.reaches('shared')
    assert.equal(await allowedOf(20, [late.limiter], '192.0.2.2'), 10)
  })

  test('a limiter starts while it stalls, and does not wait for its answers', async () => {
    await using server = await startRedisServer()
    await server.pause()
    const [one, ms] = await timed(() => observe({ redis: single(server.url), ...patient }))
    await using stalled = one
    assert.ok(ms < patient.deadlineMs, `${ms} ms`)
    assert.equal(stalled.limiter.mode, 'fallback')
    await server.unpause()
    await stalled.reaches('shared')
  })
})

suite('on a Redis that answers', { skip: skipWithoutEngine, timeout: 60_000 }, () => {
  test('a flush only forgets the counts', async () => {
    const url = await redisUrl()
    await using one = await observe({ redis: single(url), ...patient })
    assert.equal(await allowedOf(9, [one.limiter], '192.0.2.1'), 9)
    const client = new Redis(url)
    await client.flushdb()
    await client.script('FLUSH')
    client.disconnect()
    assert.equal(await allowedOf(20, [one.limiter], '192.0.2.1'), 10)
    assert.equal(one.limiter.mode, 'shared')
  })

  test('a stall of this process does not trigger the fallback', async () => {
    await using one = await observe({ redis: single(await redisUrl()), deadlineMs: 500 })
    const pending = one.limiter.consume('192.0.2.1')
    const until = performance.now() + 450
    while (performance.now() < until);
    assert.equal((await pending).remaining, 9)
    assert.deepEqual(one.decidedBy, ['shared'])
  })

  test('that rejects writes, nobody is refused because of it, and no probe succeeds', async () => {
    await using server = await startRedisServer()
    await using one = await observe({ redis: single(server.url), ...patient })
    const client = new Redis(server.url)
    await client.config('SET', 'maxmemory', '1')
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    assert.match(one.modes.at(-1)?.cause?.message ?? '', /OOM/)
    // One of them is the check itself.
    await until(
      'two probes were refused as well',
      async () => Number(/errorstat_OOM:count=(\d+)/.exec(await client.info('errorstats'))?.[1]) >= 3,
    )
    assert.equal(one.limiter.mode, 'fallback')
    await client.config('SET', 'maxmemory', '0')
    await one.reaches('shared')
    client.disconnect()
  })

  test('keys contain no address, expire with the window, and depend on the secret', async () => {
    const url = await redisUrl()
    await using one = await observe({ redis: single(url), secret: 'a secret of sixteen', ...patient })
    await one.limiter.consume('192.0.2.77')
    await one.limiter.consume('2001:db8:77:77::/64')
    const client = new Redis(url)
    const keys = (await client.keys('*')).filter((key) => !key.endsWith(':probe'))
    // The IPv4 client, the IPv6 client and its site.
    assert.equal(keys.length, 3)
    for (const key of keys) {
      assert.match(key, /^submissionsPerClient:\{[A-Za-z0-9_-]{22}\}([A-Za-z0-9_-]{22})?$/)
      assert.ok((await client.ttl(key)) <= 60 && (await client.ttl(key)) > 50)
    }
    const hashed = createClientKey('a secret of sixteen')('192.0.2.77')
    assert.equal(await client.get(`submissionsPerClient:{${hashed}}`), '1')
    client.disconnect()
  })

  test('a key without an expiry gets one', async () => {
    const url = await redisUrl()
    await using one = await observe({ redis: single(url), secret: 'a secret of sixteen', ...patient })
    const client = new Redis(url)
    const key = `submissionsPerClient:{${createClientKey('a secret of sixteen')('192.0.2.1')}}`
    await client.set(key, '7')
    const decision = await one.limiter.consume('192.0.2.1')
    assert.deepEqual([decision.remaining, decision.resetSeconds], [2, 60])
    assert.ok((await client.ttl(key)) > 50)
    client.disconnect()
  })

  test("one client's key with a foreign value is replaced, and nobody's request fails", async () => {
    const url = await redisUrl()
    const secret = 'a secret of sixteen'
    const keyOf = (client: string) => `submissionsPerClient:{${createClientKey(secret)(client)}}`
    await using one = await observe({ redis: single(url), secret, ...patient })
    const client = new Redis(url)
    await client.hset(keyOf('192.0.2.1'), 'a', 'value')
    await client.set(keyOf('192.0.2.2'), 'a text')
    await client.set(keyOf('192.0.2.3'), '9223372036854775807')
    await client.set(keyOf('192.0.2.4'), '-50')
    const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']
    const seen = await Promise.all(clients.map((key) => one.limiter.peek(key)))
    assert.deepEqual(
      seen.map(({ remaining }) => remaining),
      [10, 10, 0, 10, 10],
    )
    for (const left of [9, 8]) {
      const decisions = await Promise.all(clients.map((key) => one.limiter.consume(key)))
      for (const { remaining, resetSeconds } of decisions) assert.deepEqual([remaining, resetSeconds], [left, 60])
    }
    assert.deepEqual([one.limiter.mode, new Set(one.decidedBy)], ['shared', new Set(['shared'])])
    for (const key of clients) assert.ok((await client.ttl(keyOf(key))) > 50)
    client.disconnect()
  })

  test('a count above any number that a program can hold exactly refuses', async () => {
    const url = await redisUrl()
    const secret = 'a secret of sixteen'
    await using one = await observe({ redis: single(url), secret, ...patient })
    const client = new Redis(url)
    await client.set(`submissionsPerClient:{${createClientKey(secret)('192.0.2.1')}}`, '900000000000000000', 'EX', 30)
    const { allowed, remaining, resetSeconds } = await one.limiter.consume('192.0.2.1')
    assert.deepEqual([allowed, remaining, resetSeconds], [false, 0, 30])
    client.disconnect()
  })

  test('a key that expires later than a window, from a longer one, ends with the window', async () => {
    const url = await redisUrl()
    const secret = 'a secret of sixteen'
    await using one = await observe({ redis: single(url), secret, ...patient })
    const client = new Redis(url)
    const key = `submissionsPerClient:{${createClientKey(secret)('192.0.2.1')}}`
    await client.set(key, '20', 'EX', 3600)
    const decision = await one.limiter.consume('192.0.2.1')
    assert.deepEqual([decision.allowed, decision.resetSeconds], [false, 60])
    assert.ok((await client.ttl(key)) <= 60)
    client.disconnect()
  })

  test('a wrong password is reported without showing it, and nobody is refused because of it', async () => {
    await using server = await startRedisServer()
    const client = new Redis(server.url)
    await client.config('SET', 'requirepass', 'right-password')
    client.disconnect()
    const url = new URL(server.url)
    url.password = 'wrong-password'
    await using one = await observe({ redis: single(url.href), ...patient })
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    assert.equal(one.limiter.mode, 'fallback')
    const cause = one.modes[0]?.cause
    assert.match(String(cause?.cause), /WRONGPASS/)
    assert.doesNotMatch(JSON.stringify([cause, cause?.cause, Object.entries(cause?.cause ?? {})]), /wrong-password/)
  })

  test('a password that is changed later is named by the probes, after the broken connection and nothing older', async () => {
    await using server = await startRedisServer(['--requirepass', 'old-password'])
    const url = new URL(server.url)
    url.password = 'old-password'
    await using one = await observe({ redis: single(url.href), ...patient })
    const client = new Redis(url.href)
    const killAll = () => client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const lastCause = () => one.modes.at(-1)?.cause
    await client.config('SET', 'requirepass', 'new-password')
    await killAll()
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    assert.equal(lastCause()?.message, 'no connection to Redis')
    await until('a probe says why', () => one.probeFailures.some(({ cause }) => /WRONGPASS/.test(String(cause))))
    await client.config('SET', 'requirepass', 'old-password')
    await one.reaches('shared')

    await killAll()
    await one.limiter.consume('192.0.2.2')
    assert.equal(one.limiter.mode, 'fallback')
    assert.doesNotMatch(String(lastCause()?.cause), /WRONGPASS/)
    client.disconnect()
  })
})

test('without Redis in the configuration, the process counts on its own', async () => {
  await using one = await observe()
  assert.equal(one.limiter.mode, 'local')
  assert.deepEqual(one.modes, [{ mode: 'local', cause: undefined }])
  assert.equal(await allowedOf(20, [one.limiter], '192.0.2.1'), 10)
  assert.ok(one.decidedBy.every((by) => by === 'local'))
})

test('without Redis in the configuration, no driver is loaded', async () => {
  const script = `
    const { openLimiter } = await import('./src/limit/open.ts')
    const events = { onModeChange() {}, onProbeFailure() {}, onDecision() {} }
    await openLimiter({ policy: { limit: 10, windowSeconds: 60 }, replicas: 1, events })
    console.log(Object.keys(process.getBuiltinModule('node:module').createRequire(import.meta.filename).cache).length)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.equal(stdout.trim(), '0')
})
