import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import type { StoredLead } from '../../../src/lead/stored-lead.ts'
import { createTail, type Follower } from '../../../src/lead/tail.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { until } from '../../support/until.ts'
import { makeLead, noon } from '../leads.ts'

const byAge = { at: new Date(noon).toISOString(), reason: 'retention', caller: null } as const

async function setUp(): Promise<AsyncDisposable & { store: Store; client: pg.Client }> {
  const url = await postgresUrl()
  const store = await openStore({ url })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    store,
    client,
    async [Symbol.asyncDispose]() {
      await client.end()
      await store.close()
    },
  }
}

/** The lead of the next entry, without a timeout. */
async function nextLead(follower: Follower): Promise<StoredLead> {
  for (;;) {
    const step = await follower.next(600_000, new AbortController().signal)
    if (step?.entry !== undefined) return step.entry.lead
  }
}

suite('the inbox of PostgreSQL', { skip: skipWithoutEngine }, () => {
  test('does not erase by age while another replica does', async () => {
    await using database = await setUp()
    const { store, client } = database
    await store.submit(makeLead())
    const erase = async () =>
      (await store.inbox.eraseReceivedBefore(new Date(noon + 1).toISOString(), byAge, 10))?.length
    await client.query('BEGIN')
    await client.query("SELECT pg_try_advisory_xact_lock(x'6c656164'::int, 3)")
    assert.equal(await erase(), undefined)
    await client.query('COMMIT')
    assert.equal(await erase(), 1)
  })

  test('skips a lead that another transaction is erasing', async () => {
    await using database = await setUp()
    const { store, client } = database
    const lead = makeLead()
    await store.submit(lead)
    await store.submit(makeLead())
    await client.query('BEGIN')
    await client.query('UPDATE leads SET personal = NULL WHERE id = $1', [lead.id])
    const erased = await store.inbox.eraseReceivedBefore(new Date(noon + 1).toISOString(), byAge, 10)
    assert.equal(erased?.length, 1)
    await client.query('COMMIT')
  })

  test('a follower continues when the listening connection is lost', { timeout: 30_000 }, async () => {
    await using database = await setUp()
    const { store, client } = database
    const tail = createTail({ reader: store.inbox, pollMs: 500 })
    const leads = tail.follow(0)
    for (let round = 1; round <= 5; round++) {
      const next = nextLead(leads)
      if (round > 1) {
        // Between two polls, nobody has noticed yet.
        const { rows } = await client.query(
          `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE '%FROM leads%' AND pid <> pg_backend_pid()`,
        )
        assert.ok(rows.length > 0)
      }
      const lead = makeLead()
      await store.submit(lead)
      assert.equal((await next).id, lead.id)
    }
    leads.close()
  })

  test('a follower is notified of a lead long before the next poll', async () => {
    await using database = await setUp()
    const { store } = database
    const tail = createTail({ reader: store.inbox, pollMs: 600_000 })
    const leads = tail.follow(0)
    for (let round = 0; round < 5; round++) {
      const next = nextLead(leads)
      const lead = makeLead()
      await store.submit(lead)
      assert.equal((await next).id, lead.id)
    }
    leads.close()
  })

  test('listens only while there are followers', async () => {
    await using database = await setUp()
    const { store, client } = database
    const lastStatements = async () => {
      const { rows } = await client.query<{ query: string }>(
        'SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      return rows.map(({ query }) => query)
    }
    await store.inbox.head()
    assert.ok((await lastStatements()).some((query) => query.startsWith('SELECT greatest')))
    const stopListening = store.inbox.onStored(() => {})
    await until('LISTEN', async () => (await lastStatements()).includes('LISTEN leads'))
    stopListening()
    await until('UNLISTEN', async () => (await lastStatements()).includes('UNLISTEN leads'))
  })
})
