import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { createKeyHash } from '../../src/limit/key-hash.ts'
import { createRedisConnection, type RedisOptions } from '../../src/limit/redis-connection.ts'
import { createRedisProbe } from '../../src/limit/redis-probe.ts'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { allowedOf, limiterContract, observe, patience } from './limiters.ts'
import { askRedis, startRedisContainer, startRedisServer } from './redis-server.ts'

const single = (url: string): RedisOptions => ({ kind: 'single', url })
const secret = 'a secret of sixteen'
const keyOf = (client: string) => `submissionsPerClient:{${createKeyHash(secret)(client)}}`

limiterContract('Redis', async () => observe({ redis: single(await redisUrl()) }), skipWithoutEngine)

/** A limiter on an empty Redis, and a client of that Redis. */
async function setUp() {
  const url = await redisUrl()
  const one = await observe({ redis: single(url), secret })
  const client = new Redis(url)
  const dispose = async () => {
    client.disconnect()
    await one[Symbol.asyncDispose]()
  }
  return { ...one, client, [Symbol.asyncDispose]: dispose }
}

suite('limiters on one Redis', { skip: skipWithoutEngine, timeout: 120_000 }, () => {
  test('share one limit: of 50 concurrent requests on three of them, exactly 10 pass', async () => {
    const redis = single(await redisUrl())
    await using first = await observe({ redis, replicas: 3 })
    await using second = await observe({ redis, replicas: 3 })
    await using third = await observe({ redis, replicas: 3 })
    const limiters = [first.limiter, second.limiter, third.limiter]
    assert.equal(await allowedOf(50, limiters, '192.0.2.1'), 10)
    for (const { decidedBy } of [first, second, third]) assert.deepEqual(new Set(decidedBy), new Set(['shared']))
  })

  test('a window ends when its key expires, and a client over its limit costs Redis nothing until then', async (t) => {
    await using one = await setUp()
    const { client, limiter } = one
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    assert.equal(await allowedOf(20, [limiter], '192.0.2.1'), 10)
    const counted = await client.get(keyOf('192.0.2.1'))
    assert.equal(await allowedOf(20, [limiter], '192.0.2.1'), 0)
    assert.equal(await client.get(keyOf('192.0.2.1')), counted)
    await client.del(keyOf('192.0.2.1'))
    t.mock.timers.tick(60_001)
    assert.equal(await allowedOf(20, [limiter], '192.0.2.1'), 10)
    // A clock that was fast is set right: nobody is refused for as long as it was fast.
    t.mock.timers.setTime(Date.now() - 7_200_000)
    await client.del(keyOf('192.0.2.1'))
    assert.equal(await allowedOf(20, [limiter], '192.0.2.1'), 10)
  })

  test('keys hold no address, end with the window, have the hash tag of their /48, and may be lost', async () => {
    await using one = await setUp()
    const { client, limiter } = one
    for (const key of ['192.0.2.77', '2001:db8:77:1::/64', '2001:db8:77:2::/64']) await limiter.consume(key)
    assert.equal(await client.get(keyOf('192.0.2.77')), '1')
    assert.equal(await client.get(keyOf('2001:db8:77::/48')), '2')
    const keys = (await client.keys('*')).filter((key) => !key.endsWith(':probe'))
    assert.equal(keys.length, 4)
    for (const key of keys) {
      assert.match(key, /^submissionsPerClient:\{[\w-]{22}\}([\w-]{22})?$/)
      const left = await client.pttl(key)
      assert(left > 0 && left <= 60_000, key)
    }
    assert.equal(keys.filter((key) => key.startsWith(keyOf('2001:db8:77::/48'))).length, 3)
    await client.flushdb()
    await client.script('FLUSH')
    assert.equal(await allowedOf(20, [limiter], '192.0.2.77'), 10)
    assert.deepEqual(new Set(one.decidedBy), new Set(['shared']))
  })
})

suite('when Redis fails', { skip: skipWithoutEngine, timeout: 120_000 }, () => {
  test('it hangs: requests are decided within the share, and Redis takes over again by itself', async () => {
    await using server = await startRedisServer()
    await using one = await observe({ redis: single(server.url), replicas: 3, answerMs: 200 })
    await one.reaches('shared')
    await server.pause()
    assert.equal(await allowedOf(20, [one.limiter], '192.0.2.2'), 3)
    assert.equal(one.limiter.mode, 'fallback')
    await until('a probe failed', () => one.probeFailures.length > 0)

    // A Redis that is known to hang is not waited for: this answer comes before any timer fires.
    const early = setImmediate(() => assert.fail('it waited'))
    assert.equal((await one.limiter.consume('192.0.2.3')).limit, 3)
    clearImmediate(early)

    await server.unpause()
    await one.reaches('shared')
    await until('Redis counts', async () => (await one.limiter.consume('192.0.2.4')).limit === 10)
  })

  test('it refuses writes: nobody is refused because of it, and no probe succeeds', async () => {
    await using server = await startRedisServer()
    await using one = await observe({ redis: single(server.url) })
    const client = new Redis(server.url)
    await client.config('SET', 'maxmemory', '1')
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    await until('two probes have failed', () => one.probeFailures.length >= 2)
    assert.match(one.probeFailures[0]?.message ?? '', /OOM/)
    assert.equal(one.limiter.mode, 'fallback')
    await client.config('SET', 'maxmemory', '0')
    await one.reaches('shared')
    client.disconnect()
  })

  test('it wants another password: the reason says so, without the password', async () => {
    await using server = await startRedisServer(['--requirepass', 'old-password'])
    const url = new URL(server.url)
    url.password = 'old-password'
    await using one = await observe({ redis: single(url.href) })
    const client = new Redis(url.href)
    await client.config('SET', 'requirepass', 'new-password')
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const isAllowed = async () => (await one.limiter.consume('192.0.2.1')).allowed
    await until('it is noticed', async () => (await isAllowed()) && one.limiter.mode === 'fallback')
    await until('a probe says why', () => one.probeFailures.some(({ cause }) => /WRONGPASS/.test(String(cause))))
    for (const { message, cause } of one.probeFailures) {
      assert.equal(message, 'no connection to Redis')
      assert.doesNotMatch(JSON.stringify([String(cause), Object.entries(cause ?? {})]), /(old|new)-password/)
    }
    await client.config('SET', 'requirepass', 'old-password')
    await one.reaches('shared')
    client.disconnect()
  })

  test('the driver gives up, as in a failover that is announced while it asks Sentinels: it is reconnected', async () => {
    const client = createRedisConnection(single(await redisUrl()))
    const probe = createRedisProbe(client, 'prefix', patience)
    await probe.settled()
    client.disconnect()
    await until('it cannot count', async () => (await probe.run('{none}')) !== undefined)
    await until('it can again', async () => (await probe.run('{none}')) === undefined)
    probe.close()
  })
})

test('login and TLS reach each server of a Cluster or a Sentinel', () => {
  const login = { username: 'limiter', password: 'a password' }
  const at = { host: '127.0.0.1', port: 1 }
  /** The driver's options, from a client that never connects. */
  function optionsOf(redis: RedisOptions) {
    const client = createRedisConnection(redis).on('error', () => {})
    client.disconnect()
    return client.options as Record<string, unknown>
  }
  const names = { sentinels: [at, { host: '127.0.0.2', port: 2 }], name: 'leads', sentinelPassword: 'another' }
  const tls = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }
  const sentinel = optionsOf({ kind: 'sentinel', ...names, ...login, tls: true })
  assert.partialDeepStrictEqual(sentinel, { ...login, ...names, ...tls })
  const cluster = optionsOf({ kind: 'cluster', nodes: [at], ...login, tls: true })
  assert.partialDeepStrictEqual(cluster, { redisOptions: { ...login, tls: {} } })
})

suite('many servers', { skip: skipWithoutEngine }, () => {
  test('a Cluster counts for all replicas, and broken connections recover by themselves', async () => {
    const ports = (await freePorts(4)) as [number, number, number, number]
    const [port, second] = ports
    const start = (own: number, bus: number) =>
      `redis-server --port ${own} --cluster-port ${bus} --dir $(mktemp -d) --daemonize yes --protected-mode no --save '' --cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-node-timeout 500`
    const script = `
      ${start(port, ports[2])}
      ${start(second, ports[3])}
      echo Ready to accept connections
      sleep 600`
    await using _nodes = await startRedisContainer([port, second], ['sh', '-c', script])
    for (const [node, ...range] of [
      [port, '0', '8191'],
      [second, '8192', '16383'],
    ] as const) {
      await until('the node takes its slots', () => askRedis(node, 'CLUSTER', 'ADDSLOTSRANGE', ...range))
    }
    await askRedis(port, 'CLUSTER', 'MEET', '127.0.0.1', `${second}`, `${ports[3]}`)
    for (const node of [port, second])
      await until('the Cluster is in order', async () =>
        String(await askRedis(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok'),
      )

    const redis: RedisOptions = { kind: 'cluster', nodes: [{ host: '127.0.0.1', port }], tls: false }
    await using one = await observe({ redis })
    await using other = await observe({ redis })
    const both = [one.limiter, other.limiter]
    // Several clients in one turn, so that both nodes count some of them.
    const allowed = await Promise.all(
      ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((client) => allowedOf(30, both, client)),
    )
    assert.deepEqual(allowed, [10, 10, 10, 10])
    assert.ok([...one.decidedBy, ...other.decidedBy].every((by) => by === 'shared'))

    for (const node of [port, second]) await askRedis(node, 'CLIENT', 'KILL', 'TYPE', 'normal')
    await one.limiter.consume('192.0.2.5')
    await one.reaches('shared')
    assert.equal(await allowedOf(30, [one.limiter], '192.0.2.6'), 10)
  })

  test('Sentinels name the master, and the new one after a failover', async () => {
    const [first, second, sentinel] = (await freePorts(3)) as [number, number, number]
    const replicaOf = `--replicaof 127.0.0.1 ${first}`
    const common = "--daemonize yes --protected-mode no --save ''"
    const script = `
      redis-server --port ${first} ${common} --repl-diskless-sync-delay 0
      redis-server --port ${second} ${common} ${replicaOf}
      printf 'port ${sentinel}\nprotected-mode no\nsentinel monitor leads 127.0.0.1 ${first} 1\n' > /tmp/sentinel.conf
      redis-server /tmp/sentinel.conf --sentinel --daemonize yes
      echo Ready to accept connections
      sleep 600`
    await using _servers = await startRedisContainer([first, second, sentinel], ['sh', '-c', script])
    // Sent over the network, because under load the container engine sometimes does not respond.
    await until('the replica has copied the master', async () =>
      String(await askRedis(second, 'INFO', 'replication')).includes('master_link_status:up'),
    )
    await until('the Sentinel knows the replica', async () =>
      JSON.stringify(await askRedis(sentinel, 'SENTINEL', 'REPLICAS', 'leads')).includes(`${second}`),
    )
    await using one = await observe({
      redis: { kind: 'sentinel', sentinels: [{ host: '127.0.0.1', port: sentinel }], name: 'leads', tls: false },
    })
    assert.equal(one.limiter.mode, 'shared')
    assert.equal(await allowedOf(30, [one.limiter], '192.0.2.1'), 10)

    // After a stall of the machine, a Sentinel's clock has jumped and it refuses for a while. Ask again.
    await until(
      'the replica is the master',
      async () => {
        if (((await askRedis(second, 'ROLE')) as unknown[])[0] === 'master') return true
        await askRedis(sentinel, 'SENTINEL', 'FAILOVER', 'leads').catch(() => {})
        return false
      },
      { withinMs: 60_000, everyMs: 250 },
    )
    // However the change is noticed, nobody is refused in the meantime, and in the end the new master counts.
    const counted = () => askRedis(second, 'DBSIZE')
    const before = await counted()
    let client = 1
    await until('the new master counts', async () => {
      assert.equal((await one.limiter.consume(`198.51.100.${++client}`)).allowed, true)
      return (await counted()) !== before
    })
    await one.reaches('shared')
  })
})
