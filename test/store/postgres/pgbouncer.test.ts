import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { migrate, openStore } from '../../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { skipWithout } from '../../support/tools.ts'
import { makeLead } from '../leads.ts'
import { startPgBouncer } from './pgbouncer.ts'

/**
 * Makes the pooler open all of its connections in advance. It opens them one by one, too slowly for a store on a busy
 * machine.
 */
async function fillPool(url: string, size: number): Promise<void> {
  const clients = Array.from({ length: size }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map(async (client) => client.connect()))
  await Promise.all(clients.map(async (client) => client.query('SELECT 1')))
  await Promise.all(clients.map(async (client) => client.end()))
}

suite('PgBouncer in front of PostgreSQL', { skip: skipWithoutEngine || skipWithout('pgbouncer') }, () => {
  // In transaction mode, fewer connections than the stores have, so that they share them.
  for (const [poolMode, poolSize] of [
    ['session', 20],
    ['transaction', 2],
  ] as const) {
    test(`in ${poolMode} mode leads are stored, found, read and erased, and commits wait for the disk`, async () => {
      const url = await postgresUrl()
      const direct = new pg.Client({ connectionString: url })
      await direct.connect()
      await direct.query(`ALTER DATABASE ${direct.database} SET synchronous_commit = off`)
      await using pooler = await startPgBouncer(url, poolMode, poolSize)
      await migrate(pooler.url)
      await fillPool(pooler.url, poolSize)
      await direct.query(`
        CREATE TABLE seen (setting text);
        CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
        CREATE TRIGGER see AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION see()`)
      const errors: unknown[] = []
      const stores = await Promise.all(
        [1, 2, 3].map(() => openStore({ url: pooler.url, onError: (error) => errors.push(error) })),
      )
      try {
        const leads = Array.from({ length: 60 }, () => makeLead())
        for (let start = 0; start < leads.length; start += 6) {
          const some = leads.slice(start, start + 6)
          const outcomes = await Promise.all([
            ...some.map((lead, index) => stores[index % 3]?.submit(lead)),
            ...stores.map((store) => store.check()),
            ...stores.map((store) => store.inbox.find(some[0]?.id as string)),
            ...stores.map((store) => store.prune(new Date(0).toISOString())),
          ])
          assert.deepEqual(outcomes.slice(0, 9), [
            ...some.map(() => ({ kind: 'created' })),
            ...stores.map(() => ({ ok: true })),
          ])
        }
        assert.deepEqual(errors, [])
        const { rows } = await direct.query<{ id: string }>('SELECT id FROM leads')
        assert.deepEqual(rows.map(({ id }) => id).sort(), leads.map(({ id }) => id).sort())
        assert.deepEqual((await direct.query('SELECT DISTINCT setting FROM seen')).rows, [{ setting: 'on' }])
        // Our settings do not leak into connections that other clients get.
        const other = new pg.Client({ connectionString: pooler.url })
        await other.connect()
        assert.equal((await other.query('SHOW lock_timeout')).rows[0].lock_timeout, '0')
        await other.end()
      } finally {
        await Promise.all(stores.map((store) => store.close()))
        await direct.end()
      }
    })
  }

  test('in statement mode the migration fails and says why', async () => {
    await using pooler = await startPgBouncer(await postgresUrl(), 'statement', 4)
    await assert.rejects(migrate(pooler.url), /transaction blocks not allowed in statement pooling mode/)
  })
})
