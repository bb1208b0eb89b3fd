// What a business must survive, under steady load. Every test run has the six failures that are most likely; the others
// are run before a release (`npm run chaos`, which is `npm test -- --long`).
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { migratePostgres } from '../../src/store/postgres/database.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { askRedis, startRedisContainer, startRedisServer } from '../limit/redis-server.ts'
import { postgresUrl, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { freshClient, post } from '../support/http.ts'
import { newLead } from '../support/load.ts'
import { isLong } from '../support/long.ts'
import { freePorts } from '../support/ports.ts'
import { skipWithoutFile } from '../support/tools.ts'
import { until, within } from '../support/until.ts'
import { drill, formatResults } from './drill.ts'
import { replicaCount, startFleet, startSkewedFleet, startSmallDiskFleet } from './fleet.ts'
import { degraded, unavailable } from './picture.ts'
import { startPostgresPair, startPostgresServer, startSmallDiskPostgres } from './postgres-server.ts'
import { startProxy } from './proxy.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Runs a shell command in a container. */
async function shell(container: Awaited<ReturnType<typeof startRedisContainer>>, command: string): Promise<string> {
  const { exitCode, output, stdout } = await within(20_000, command, container.exec(['sh', '-c', command]))
  if (exitCode !== 0) throw new Error(`${command}: ${output}`)
  return stdout
}

/** Another program's session on the database. */
async function openSession(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  return { query: (sql: string) => client.query(sql), [Symbol.asyncDispose]: () => client.end() }
}

after(() => console.log(`\n${formatResults()}\n`))

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
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

  test('PostgreSQL is cut off', async () => {
    await using postgres = await startPostgresServer()
    await using way = await startTcpProxy(postgres.port)
    await using fleet = await startFleet({ DATABASE_URL: postgres.urlAt(way.port), REDIS_URL: await redisUrl() })
    await drill('PostgreSQL cut', fleet, { begin: way.cut, told: unavailable, end: () => way.lead() })
  })

  test('PostgreSQL fails over to a standby that is read-only until it is promoted', async () => {
    await using pair = await startPostgresPair()
    await using way = await startTcpProxy(pair.port)
    await using fleet = await startFleet({ DATABASE_URL: pair.urlAt(way.port), REDIS_URL: await redisUrl() })
    await drill('PostgreSQL failed over', fleet, {
      begin: async () => {
        await pair.killPrimary()
        way.cut()
        await way.lead(pair.standbyPort)
      },
      told: unavailable,
      end: pair.promote,
    })
  })

  test('a replica is killed, and another takes its place', async () => {
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() })
    await drill('a replica killed', fleet, {
      begin: () => fleet.kill(0),
      end: () => fleet.replace(0),
      mayBreak: true,
    })
  })

  test('three replicas behind the proxy are replaced one by one, and no request fails', async () => {
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_URL: await redisUrl(),
      DRAIN_SECONDS: '2',
    })
    await using proxy = await startProxy(fleet.urls)
    await drill(
      'rolling restart',
      { ...fleet, urls: [proxy.url] },
      {
        begin: async () => {
          for (let index = 0; index < replicaCount; index++) {
            // Like an orchestrator: stops the replica while removing it from the proxy, and lets it drain.
            await Promise.all([proxy.leadTo(fleet.urls.toSpliced(index, 1)), fleet.stop(index)])
            await fleet.replace(index)
            await proxy.leadTo(fleet.urls)
          }
        },
      },
    )
  })
})

if (isLong)
  suite('more failures', { skip: skipWithoutEngine, timeout: 3_600_000 }, () => {
    /** Where Debian's libfaketime is. */
    const machine = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
    const library = `/usr/lib/${machine}/faketime/libfaketime.so.1`

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

    test('PostgreSQL stalls', async () => {
      await using postgres = await startPostgresServer()
      await using fleet = await startFleet({ DATABASE_URL: postgres.urlAt(postgres.port), REDIS_URL: await redisUrl() })
      await drill('PostgreSQL stalled', fleet, { begin: postgres.pause, told: unavailable, end: postgres.unpause })
    })

    test('PostgreSQL is killed, and recovers from its log', async () => {
      await using postgres = await startPostgresServer()
      await using fleet = await startFleet({ DATABASE_URL: postgres.urlAt(postgres.port), REDIS_URL: await redisUrl() })
      await drill('PostgreSQL killed', fleet, { begin: postgres.kill, told: unavailable, end: postgres.restart })
    })

    test('the clocks of the replicas differ by minutes: the limit is one, and a key is one lead', async () => {
      await using fleet = await startSkewedFleet()
      await drill('clock skew', fleet, {
        begin: async () => {
          for (let key = 0; key < 10; key++) {
            const body = newLead()
            const headers = { 'Idempotency-Key': `"skew-${key}"` }
            // A key belongs to the client that sent it.
            const client = freshClient()
            const answers = await Promise.all(fleet.urls.map((url) => post(url, body, { headers, client })))
            assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
            assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1, 'one lead')
          }
        },
      })
    })

    test('the disk of SQLite is full', async () => {
      await using fleet = await startSmallDiskFleet()
      await drill('disk full (SQLite)', fleet, { begin: fleet.fill, told: unavailable, end: fleet.clear })
    })

    test('somebody locks the table of leads', async () => {
      const url = await postgresUrl()
      await using fleet = await startFleet({ DATABASE_URL: url, REDIS_URL: await redisUrl() })
      await using other = await openSession(url)
      await drill('leads locked', fleet, {
        begin: async () => void (await other.query('BEGIN; LOCK TABLE leads IN ACCESS EXCLUSIVE MODE')),
        told: unavailable,
        end: async () => void (await other.query('ROLLBACK')),
      })
    })

    test('a schema change waits behind a long reader, and holds nobody up for long', async () => {
      const url = await postgresUrl()
      await using fleet = await startFleet({ DATABASE_URL: url, REDIS_URL: await redisUrl() })
      await using reader = await openSession(url)
      const next = { version: 999, name: 'chaos', sql: 'ALTER TABLE leads ADD COLUMN chaos text' }
      await drill('migration behind a reader', fleet, {
        begin: async () => {
          await reader.query('BEGIN; SELECT count(*) FROM leads')
          const migrated = migratePostgres(url, [...postgresMigrations, next])
          await delay(4_000)
          await reader.query('COMMIT')
          await migrated
        },
      })
    })

    test('the disk of PostgreSQL is full', async () => {
      await using postgres = await startSmallDiskPostgres()
      await using fleet = await startFleet({ DATABASE_URL: postgres.urlAt(postgres.port), REDIS_URL: await redisUrl() })
      await drill('disk full (PostgreSQL)', fleet, { begin: postgres.fill, told: unavailable, end: postgres.clear })
    })

    test('a clock is 25 hours ahead', { skip: skipWithoutFile(library, 'Debian: libfaketime') }, async () => {
      const faketime = { LD_PRELOAD: library, FAKETIME: '+25h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
      await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() }, faketime)
      await drill('clock 25 hours ahead', fleet, {
        // It is there from the start.
        begin: async () => {},
      })
    })
  })
