import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { createInbox } from '../../../src/inbox/inbox.ts'
import { createStops } from '../../../src/inbox/stops.ts'
import { LeadError } from '../../../src/lead/error.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { until } from '../../support/until.ts'
import { makeLead, noon } from '../leads.ts'

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

/** The leads of a stream from the beginning. */
async function follow(store: Store) {
  const now = () => noon
  const stops = createStops({ store: store.inbox, keys: [], now, onError() {} })
  const inbox = createInbox({ store: store.inbox, stops, now })
  const start = { cursor: '', startTimeMs: undefined, startNow: false, kind: undefined, consumer: '' }
  const stream = (await inbox.watch(start, new AbortController().signal))[Symbol.asyncIterator]()
  return {
    /** The id of the next lead. */
    async next(): Promise<string> {
      for (;;) {
        const { value } = await stream.next()
        if (value.lead) return value.lead.id
      }
    },
    close: () => stream.return?.(),
  }
}

suite('the inbox of PostgreSQL', { skip: skipWithoutEngine }, () => {
  test('a stream continues when the listening connection is lost', { timeout: 30_000 }, async () => {
    await using database = await setUp()
    const { store, client } = database
    const leads = await follow(store)
    for (let round = 1; round <= 5; round++) {
      const next = leads.next()
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
      assert.equal(await next, lead.id)
    }
    await leads.close()
  })

  test('a stream ends with cursor_lost when the server that took over lacks its place', {
    timeout: 30_000,
  }, async () => {
    await using database = await setUp()
    const { store, client } = database
    const leads = await follow(store)
    await store.submit(makeLead())
    await leads.next()
    await store.submit(makeLead())
    await leads.next()
    const next = leads.next()
    // As after the promotion of a standby that lagged: the last lead is gone, and its position is used again.
    await client.query('SET session_replication_role = replica')
    await client.query('DELETE FROM leads WHERE position = (SELECT max(position) FROM leads)')
    await client.query("SELECT setval('feed_position', (SELECT max(position) FROM leads))")
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    await until('a lead', () => store.submit(makeLead()).then(Boolean, () => false))
    await assert.rejects(next, (error) => error instanceof LeadError && error.code === 'cursor_lost')
  })
})
