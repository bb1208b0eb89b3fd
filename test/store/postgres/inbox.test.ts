import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import type { StoredLead } from '../../../src/lead/stored-lead.ts'
import { createTail, type Follower } from '../../../src/lead/tail.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { makeLead } from '../leads.ts'

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
})
