import { test } from 'node:test'
import { redisUrl } from '../support/backends.ts'
import { drill } from './drill.ts'
import { startFleet } from './fleet.ts'
import { unavailable } from './picture.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Failures of PostgreSQL. Callers are answered in time, and no lead is lost or stored twice. */
export function postgresDrills(): void {
  test('PostgreSQL is cut off', async () => {
    await using postgres = await startPostgresServer()
    await using way = await startTcpProxy(postgres.port)
    await using fleet = await startFleet({ DATABASE_URL: postgres.urlAt(way.port), REDIS_URL: await redisUrl() })
    await drill('PostgreSQL cut', fleet, { begin: way.cut, told: unavailable, end: () => way.lead() })
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
}
