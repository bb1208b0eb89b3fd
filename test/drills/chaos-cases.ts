import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { migratePostgres } from '../../src/store/postgres/database.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { skipWithoutFile } from '../support/tools.ts'
import { drill } from './drill.ts'
import { startFleet } from './fleet.ts'
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
      // It is there from the start.
      begin: async () => {},
    })
  })
}
