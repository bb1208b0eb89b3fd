// What a business must survive, under steady load. `npm run chaos` (`npm test -- --long`) adds the rarer failures.
import { suite, test } from 'node:test'
import { startRedisServer } from '../limit/redis-server.ts'
import { postgresUrl, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { isLong } from '../support/tools.ts'
import { drill } from './drill.ts'
import { replicaCount, startFleet } from './fleet.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startProxy, startTcpProxy } from './proxy.ts'

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  test('Redis is cut off', async () => {
    await using redis = await startRedisServer()
    await using way = await startTcpProxy(redis.port)
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_URL: `redis://127.0.0.1:${way.port}`,
    })
    await drill(fleet, { begin: way.cut, told: 'degraded', end: () => way.lead() })
  })

  test('Redis stalls', async () => {
    await using redis = await startRedisServer()
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: redis.url })
    await drill(fleet, { begin: redis.pause, told: 'degraded', end: redis.unpause })
  })

  test('PostgreSQL is cut off', async () => {
    await using postgres = await startPostgresServer()
    await using way = await startTcpProxy(postgres.port)
    await using fleet = await startFleet({ DATABASE_URL: postgres.urlAt(way.port), REDIS_URL: await redisUrl() })
    await drill(fleet, { begin: way.cut, told: 'unavailable', end: () => way.lead() })
  })

  test('PostgreSQL fails over to a standby that is read-only until it is promoted', async () => {
    await using pair = await startPostgresPair()
    await using way = await startTcpProxy(pair.port)
    await using fleet = await startFleet({ DATABASE_URL: pair.urlAt(way.port), REDIS_URL: await redisUrl() })
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
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() })
    await drill(fleet, {
      begin: () => fleet.end(0, 'SIGKILL'),
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
      { ...fleet, urls: [proxy.url] },
      {
        begin: async () => {
          for (let index = 0; index < replicaCount; index++) {
            // Like an orchestrator: stops the replica while removing it from the proxy, and lets it drain.
            await Promise.all([proxy.leadTo(fleet.urls.toSpliced(index, 1)), fleet.end(index, 'SIGTERM')])
            await fleet.replace(index)
            await proxy.leadTo(fleet.urls)
          }
        },
      },
    )
  })
})

if (isLong)
  suite('more failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
    test('Redis crashes and starts again, empty', async () => {
      await using redis = await startRedisServer()
      await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: redis.url })
      await drill(fleet, {
        begin: redis.kill,
        told: 'degraded',
        end: redis.restart,
        countsLost: true,
      })
    })

    test('PostgreSQL is killed, and recovers from its log', async () => {
      await using postgres = await startPostgresServer()
      await using fleet = await startFleet({ DATABASE_URL: postgres.url, REDIS_URL: await redisUrl() })
      await drill(fleet, { begin: postgres.kill, told: 'unavailable', end: postgres.restart })
    })
  })
