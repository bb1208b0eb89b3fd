import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { get } from '../support/http.ts'
import { runService } from '../support/process.ts'
import { skipWithoutFile } from '../support/tools.ts'
import { drill } from './drill.ts'
import { type Fleet, fleetEnv, startFleet } from './fleet.ts'
import { unavailable } from './picture.ts'
import { startSmallDiskPostgres } from './postgres-server.ts'

/** Debian's name for this kind of machine. */
const machine = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'

/** Another program's session on the database. */
async function openSession(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  return { query: (sql: string) => client.query(sql), [Symbol.asyncDispose]: () => client.end() }
}

/** One replica with SQLite that may open 256 files. */
async function startScarceFleet(): Promise<Fleet> {
  const command = ['sh', '-c', 'ulimit -n 256; exec node src/main.ts']
  const service = await runService({ ...fleetEnv, REPLICAS: '1' }, command)
  return {
    replicas: [service],
    urls: [service.url],
    readContents: () => readContents(service.databaseUrl),
    fallbacks: async () => 0,
    [Symbol.asyncDispose]: service.dispose,
  }
}

/** Failures of a running service that operators, their tools and scarce resources cause. */
export function chaosCases(): void {
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

  const library = `/usr/lib/${machine}/faketime/libfaketime.so.1`
  test('a clock is 25 hours ahead', { skip: skipWithoutFile(library, 'Debian: libfaketime') }, async () => {
    const faketime = { LD_PRELOAD: library, FAKETIME: '+25h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() }, faketime)
    await drill('clock 25 hours ahead', fleet, {
      // Invisible to callers, so check what operators see.
      begin: async () => {
        const [skewed, ...others] = await Promise.all(
          fleet.replicas.map(async ({ opsUrl }) => {
            const [ready, metrics] = await Promise.all(['readyz', 'metrics'].map((path) => get(`${opsUrl}/${path}`)))
            const skew = /^lead_intake_clock_skew_seconds (\S+)$/m.exec(metrics?.text ?? '')?.[1]
            return { hours: Math.round(Number(skew) / 3_600), ready: ready?.text ?? '' }
          }),
        )
        assert.equal(skewed?.hours, 25)
        assert.match(skewed.ready, /^ok, but clock: \S+ s ahead of the database's$/m)
        for (const { hours, ready } of others) assert.deepEqual([hours, ready], [0, 'ok\n'])
      },
    })
  })

  test('four hundred idle connections meet 256 descriptors', async () => {
    await using fleet = await startScarceFleet()
    const { hostname, port } = new URL(fleet.urls[0] as string)
    const idle: Socket[] = []
    await drill('256 descriptors', fleet, {
      begin: async () => {
        for (let i = 0; i < 400; i++) idle.push(connect(Number(port), hostname).on('error', () => {}))
        await Promise.allSettled(idle.map((socket) => once(socket, 'connect')))
        await delay(2_000)
      },
      end: () => {
        for (const socket of idle) socket.destroy()
      },
      // Waiting connections are closed to make room for others.
      mayBreak: true,
    })
  })
}
