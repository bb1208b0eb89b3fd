import { test } from 'node:test'
import { askRedis, startRedisContainer, startRedisServer } from '../limit/redis-server.ts'
import { postgresUrl } from '../support/backends.ts'
import { freePorts } from '../support/ports.ts'
import { until, within } from '../support/until.ts'
import { drill } from './drill.ts'
import { startFleet } from './fleet.ts'
import { degraded } from './picture.ts'
import { startTcpProxy } from './tcp-proxy.ts'

type Container = Awaited<ReturnType<typeof startRedisContainer>>

/** Runs a shell command in a container. */
async function shell(container: Container, command: string): Promise<string> {
  const { exitCode, output, stdout } = await within(20_000, command, container.exec(['sh', '-c', command]))
  if (exitCode !== 0) throw new Error(`${command}: ${output}`)
  return stdout
}

/** Failures of Redis. No lead is refused because of them, and the limit stays within its bound. */
export function redisDrills(): void {
  test('Redis is cut off', async () => {
    await using redis = await startRedisServer()
    await using way = await startTcpProxy(redis.port)
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_URL: `redis://127.0.0.1:${way.port}`,
    })
    await drill('Redis cut', fleet, { begin: way.cut, told: degraded, end: () => way.lead() })
  })

  test('Redis stalls', async () => {
    await using redis = await startRedisServer()
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: redis.url })
    await drill('Redis stalled', fleet, { begin: redis.pause, told: degraded, end: redis.unpause })
  })

  test('Redis crashes and starts again, empty', async () => {
    await using redis = await startRedisServer()
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: redis.url })
    await drill('Redis restarted', fleet, {
      begin: redis.kill,
      told: degraded,
      end: redis.restart,
      countsLost: 1,
    })
  })

  test('Redis is flushed', async () => {
    const [port] = (await freePorts(1)) as [number]
    await using _redis = await startRedisContainer([port], ['redis-server', '--port', `${port}`, '--save', ''])
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_URL: `redis://127.0.0.1:${port}`,
    })
    await drill('Redis flushed', fleet, {
      begin: async () => void (await askRedis(port, 'FLUSHALL')),
      countsLost: 1,
    })
  })

  test('the master of Redis dies, and Sentinels name another', async () => {
    const [first, second, ...sentinels] = (await freePorts(5)) as [number, number, ...number[]]
    const common = "--daemonize yes --protected-mode no --save '' --repl-diskless-sync-delay 0"
    const script = `
      redis-server --port ${first} ${common} --pidfile /tmp/master.pid
      redis-server --port ${second} ${common} --replicaof 127.0.0.1 ${first}
      until redis-cli -p ${second} info replication | grep -q master_link_status:up; do sleep 0.1; done
      for port in ${sentinels.join(' ')}; do
        {
          echo "port $port"
          echo "protected-mode no"
          echo "sentinel monitor leads 127.0.0.1 ${first} 2"
          echo "sentinel down-after-milliseconds leads 1000"
          echo "sentinel failover-timeout leads 3000"
        } > /tmp/sentinel-$port.conf
        redis-server /tmp/sentinel-$port.conf --sentinel --daemonize yes
      done
      for port in ${sentinels.join(' ')}; do
        until redis-cli -p $port sentinel master leads | tr '\\n' ' ' | grep -q 'num-slaves 1 num-other-sentinels 2'; do sleep 0.1; done
      done
      echo Ready to accept connections
      sleep 3600`
    await using redis = await startRedisContainer([first, second, ...sentinels], ['sh', '-c', script])
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_SENTINELS: sentinels.map((port) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_NAME: 'leads',
    })
    await drill('Redis failed over', fleet, {
      begin: async () => void (await shell(redis, 'kill -9 $(cat /tmp/master.pid)')),
      told: degraded,
      brief: true,
      // Sentinels take a while to decide. The drill measures how soon the service follows.
      end: async () => {
        await until(
          'the replica is the master',
          async () => ((await askRedis(second, 'ROLE')) as unknown[])[0] === 'master',
          { withinMs: 60_000 },
        )
      },
      // Writes that the old master had not yet replicated.
      countsLost: 1,
    })
  })

  test('one of three masters of a Redis Cluster crashes and starts again, empty', async () => {
    const ports = await freePorts(6)
    const nodes = ports.slice(0, 3)
    const start = (port: number, index: number) =>
      `redis-server --port ${port} --cluster-port ${ports[index + 3]} --cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-node-timeout 1000 --protected-mode no --save '' --daemonize yes --dir /tmp/${port} --pidfile /tmp/${port}/pid`
    const script = `
      mkdir ${nodes.map((port) => `/tmp/${port}`).join(' ')}
      ${nodes.map(start).join('\n')}
      for port in ${nodes.join(' ')}; do until redis-cli -p $port ping; do sleep 0.1; done; done
      redis-cli --cluster create ${nodes.map((port) => `127.0.0.1:${port}`).join(' ')} --cluster-yes
      for port in ${nodes.join(' ')}; do until redis-cli -p $port cluster info | grep cluster_state:ok; do sleep 0.1; done; done
      echo Ready to accept connections
      sleep 3600`
    await using redis = await startRedisContainer(nodes, ['sh', '-c', script])
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_CLUSTER_NODES: nodes.map((port) => `127.0.0.1:${port}`).join(','),
    })
    const [, lost = 0] = nodes
    await drill('Redis Cluster', fleet, {
      begin: async () => void (await shell(redis, `kill -9 $(cat /tmp/${lost}/pid)`)),
      told: degraded,
      end: async () => void (await shell(redis, start(lost, 1))),
      countsLost: 1,
    })
  })
}
