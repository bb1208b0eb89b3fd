// What a business must survive, under steady load. `npm run chaos` (`npm test -- --long`) adds the rarer failures.
import { suite, test } from 'node:test'
import { startRedisServer } from '../limit/redis-server.ts'
import { skipWithoutEngine } from '../support/backends.ts'
import { isLong } from '../support/tools.ts'
import { drill } from './drill.ts'
import { replicaCount, startFleet } from './fleet.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  test('Redis is cut off', async () => {
    await using redis = await startRedisServer()
    await using way = await startTcpProxy(redis.port)
    await using fleet = await startFleet({ REDIS_URL: `redis://127.0.0.1:${way.port}` })
    await drill(fleet, { begin: way.cut, told: 'degraded', end: () => way.lead() })
  })

  test('Redis stalls', async () => {
    await using redis = await startRedisServer()
    await using fleet = await startFleet({ REDIS_URL: redis.url })
    await drill(fleet, { begin: redis.pause, told: 'degraded', end: redis.unpause })
  })

  test('PostgreSQL stalls', async () => {
    await using postgres = await startPostgresServer()
    await using fleet = await startFleet({ DATABASE_URL: postgres.url })
    await drill(fleet, { begin: postgres.pause, told: 'unavailable', end: postgres.unpause })
  })

  test('PostgreSQL fails over to a standby that is read-only until it is promoted', async () => {
    await using pair = await startPostgresPair()
    await using way = await startTcpProxy(pair.port)
    await using fleet = await startFleet({ DATABASE_URL: pair.urlAt(way.port) })
    await drill(fleet, {
      begin: async () => {
        await pair.killPrimary()
        way.cut()
        await way.lead(pair.standbyPort)
      },
      told: 'unavailable',
      end: pair.promote,
    })
  })

  test('a replica is killed, and another takes its place', async () => {
    await using fleet = await startFleet()
    await drill(fleet, { begin: () => fleet.end(0, 'SIGKILL'), end: () => fleet.replace(0), mayBreak: true })
  })

  test('three replicas are replaced one by one, and no request fails', async () => {
    await using fleet = await startFleet({ DRAIN_SECONDS: '2' })
    await drill(fleet, {
      begin: async () => {
        for (let index = 0; index < replicaCount; index++) {
          // Like an orchestrator: stops the replica while callers are led to the others, and lets it drain.
          const ended = fleet.end(index, 'SIGTERM')
          const [url = ''] = fleet.urls.splice(index, 1)
          await ended
          await fleet.replace(index)
          fleet.urls.splice(index, 0, url)
        }
      },
    })
  })
})

if (isLong)
  suite('more failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
    test('Redis crashes and starts again, empty', async () => {
      await using redis = await startRedisServer()
      await using fleet = await startFleet({ REDIS_URL: redis.url })
      await drill(fleet, { begin: redis.kill, told: 'degraded', end: redis.restart, countsLost: true })
    })

    test('PostgreSQL is killed, and recovers from its log', async () => {
      await using postgres = await startPostgresServer()
      await using fleet = await startFleet({ DATABASE_URL: postgres.url })
      await drill(fleet, { begin: postgres.kill, told: 'unavailable', end: postgres.restart })
    })
  })
