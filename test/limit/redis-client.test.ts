import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Cluster, type Redis } from 'ioredis'
import { createRedisClient, type RedisOptions } from '../../src/limit/redis-client.ts'
import { skipWithoutEngine } from '../support/backends.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { allowedOf, observe } from './limiters.ts'
import { askRedis, startRedisContainer } from './redis-server.ts'

const nowhere = { host: '127.0.0.1', port: 1 }
const login = { username: 'limiter', password: 'a password' }

/** The driver's parsed options, from a client that never connects. */
function optionsOf(client: Redis | Cluster) {
  client.on('error', () => {})
  client.disconnect()
  return client.options
}

test('a rediss URL means TLS, with the login and database in the URL', () => {
  const options = optionsOf(createRedisClient({ kind: 'single', url: 'rediss://limiter:a%20password@127.0.0.1:1/7' }))
  assert.ok('tls' in options && options.tls)
  assert.partialDeepStrictEqual(options, {
    ...login,
    ...nowhere,
    db: 7,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    commandTimeout: 1000,
  })
})

test('a redis URL means no TLS', () => {
  const options = optionsOf(createRedisClient({ kind: 'single', url: 'redis://127.0.0.1:1' }))
  assert.ok(!('tls' in options && options.tls))
})

test('Sentinel options reach the driver', () => {
  const sentinels = [nowhere, { host: '127.0.0.2', port: 2 }]
  const client = createRedisClient({
    kind: 'sentinel',
    sentinels,
    name: 'leads',
    ...login,
    sentinelPassword: 'another',
    tls: true,
  })
  assert.partialDeepStrictEqual(optionsOf(client), {
    ...login,
    sentinels,
    name: 'leads',
    role: 'master',
    sentinelPassword: 'another',
    tls: {},
    sentinelTLS: {},
    enableTLSForSentinelMode: true,
    enableOfflineQueue: false,
  })
})

test('Cluster options reach the driver and each of its nodes', () => {
  const client = createRedisClient({ kind: 'cluster', nodes: [nowhere], ...login, tls: true })
  assert.ok(client instanceof Cluster)
  assert.partialDeepStrictEqual(optionsOf(client), {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    redisOptions: { ...login, tls: {}, commandTimeout: 1000, socketTimeout: 1000, maxRetriesPerRequest: 0 },
  })
})

suite('on a real Redis', { skip: skipWithoutEngine }, () => {
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
