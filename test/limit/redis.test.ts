import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { createHasher } from '../../src/limit/limiter.ts'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { freePorts, listen } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { allowedOf, connect, limiterContract, observe } from './limiters.ts'
import { askRedis, startRedisContainer } from './redis-server.ts'

const secret = 'a secret of sixteen'
const keyOf = (client: string) => `submissionsPerClient:{${createHasher(secret)(client)}}`

limiterContract('Redis', async () => observe({ redis: await redisUrl() }), skipWithoutEngine)

suite('a limiter on Redis', { skip: skipWithoutEngine, timeout: 120_000 }, () => {
  test('writes keys that hold no address, end with the window, have the hash tag of their /48, and may be lost', async () => {
    const url = await redisUrl()
    await using one = await observe({ redis: url, secret })
    const { limiter } = one
    const client = new Redis(url)
    for (const key of ['192.0.2.77', '2001:db8:77:1::/64', '2001:db8:77:2::/64']) await limiter.consume(key)
    assert.equal(await client.get(keyOf('192.0.2.77')), '1')
    assert.equal(await client.get(keyOf('2001:db8:77::/48')), '2')
    const keys = (await client.keys('*')).filter((key) => !key.endsWith(':check'))
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
    client.disconnect()
  })

  test('keeps refusing a client that Redis refused, without asking it, until the window ends', async (t) => {
    const url = await redisUrl()
    await using one = await observe({ redis: url, secret })
    const client = new Redis(url)
    assert.equal(await allowedOf(12, [one.limiter], '192.0.2.1'), 10)
    await client.del(keyOf('192.0.2.1'))
    client.disconnect()
    const { resetSeconds, ...refused } = await one.limiter.consume('192.0.2.1')
    assert.deepEqual(refused, { allowed: false, limit: 10, remaining: 0, windowSeconds: 60 })
    assert(resetSeconds > 0 && resetSeconds <= 60)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 })
    assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    assert.deepEqual(new Set(one.decidedBy), new Set(['shared']))
  })
})

/** Keeps the event loop from doing anything else. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test("a busy event loop is not an outage, however long Redis's answers wait for it", {
  skip: skipWithoutEngine,
}, async () => {
  await using one = await observe({ redis: await redisUrl(), answerMs: 80 })
  await one.recovers()
  one.troubles.length = 0
  let isBusy = true
  const work = () => {
    block(100)
    if (isBusy) setImmediate(work)
  }
  setImmediate(work)
  for (let number = 1; number < 7; number++) await one.limiter.consume(`192.0.2.${number}`)
  isBusy = false
  const late = one.limiter.consume('192.0.2.7')
  block(1_500)
  await late
  assert.deepEqual(new Set(one.decidedBy), new Set(['shared']))
  assert.deepEqual(one.troubles, [])
})

for (const [refusal, reason] of [
  ['ERR max number of clients reached', /: ERR max number of clients reached: raise its maxclients$/],
  [
    'DENIED Redis is running in protected mode because … no password is set',
    /protected mode \(DENIED\): set a password/,
  ],
  ['LOADING Redis is loading the dataset in memory', /: LOADING Redis is loading the dataset in memory$/],
  ['', /: it is loading its data, hangs/],
] as const)
  test(`a Redis that accepts a connection and refuses it is named: ${refusal}`, async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume()
      if (refusal) socket.end(`-${refusal}\r\n`)
    })
    await using one = await observe({ redis: `redis://127.0.0.1:${await listen(server)}` })
    await until('it is named', async () => reason.test(String(await one.limiter.findTrouble())))
    one.limiter.close()
    server.close()
  })

test('login and TLS apply to each server of a Cluster and to Sentinels', () => {
  /** The driver's options, from a client that never connects. */
  function optionsOf(url: string) {
    const client = connect(url).on('error', () => {})
    client.disconnect()
    return client.options as Record<string, unknown>
  }
  const login = { username: 'limiter', password: 'a password' }
  const sentinels = [1, 2].map((number) => ({ host: `127.0.0.${number}`, port: number }))
  const names = { sentinels, name: 'leads', sentinelPassword: 'another' }
  const tls = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }
  const at = 'limiter:a%20password@127.0.0.1:1,127.0.0.2:2'
  const sentinel = optionsOf(`rediss+sentinel://${at}/leads?sentinelPassword=another`)
  assert.partialDeepStrictEqual(sentinel, { ...login, ...names, ...tls })
  assert.partialDeepStrictEqual(optionsOf(`rediss+cluster://${at}`), { redisOptions: { ...login, tls: {} } })
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
    ] as const)
      await until('the node takes its slots', () => askRedis(node, 'CLUSTER', 'ADDSLOTSRANGE', ...range))
    await askRedis(port, 'CLUSTER', 'MEET', '127.0.0.1', `${second}`, `${ports[3]}`)
    for (const node of [port, second])
      await until('the Cluster is in order', async () =>
        String(await askRedis(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok'),
      )

    const redis = `redis+cluster://127.0.0.1:${port}`
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
    await Promise.all([one.recovers(), other.recovers()])
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
    await using one = await observe({ redis: `redis+sentinel://127.0.0.1:${sentinel}/leads` })
    assert.equal(await one.limiter.findTrouble(), undefined)
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
    await one.recovers()
  })
})
