import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { createSealer } from '../../../src/evidence/seal.ts'
import { LeadError } from '../../../src/lead/error.ts'
import { migrate, openStore, type Store } from '../../../src/store/open.ts'
import { type OwnServer, postgresUrl, skipWithoutEngine, startPostgres } from '../../support/backends.ts'
import { runningMs } from '../../support/stalls.ts'
import { until } from '../../support/until.ts'
import { makeLead, noon } from '../leads.ts'

const options = { skip: skipWithoutEngine, timeout: 120_000 }

/** Submits leads steadily and records each outcome. */
function steadyLoad(store: Store) {
  const ledger = { acknowledged: [] as string[], refused: [] as string[], longestMs: 0, lastAcknowledgedMs: 0 }
  let running = true
  const callers = Array.from({ length: 8 }, async () => {
    while (running) {
      const lead = makeLead()
      const startedMs = runningMs()
      try {
        await store.submit(lead)
        ledger.acknowledged.push(lead.id)
        ledger.lastAcknowledgedMs = performance.now()
      } catch (error) {
        assert.ok(error instanceof LeadError && error.code === 'service_unavailable', String(error))
        ledger.refused.push(lead.id)
      }
      ledger.longestMs = Math.max(ledger.longestMs, runningMs() - startedMs)
      await setTimeout(5)
    }
  })
  return {
    ledger,
    stop: async () => {
      running = false
      await Promise.all(callers)
      return ledger
    },
  }
}

const healthy = (store: Store) => async () => (await store.check()).ok

/** Every acknowledged lead is stored, and no lead twice, acknowledged or not. */
async function assertKept(url: string, acknowledged: string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: string; content: string }>(
    `SELECT id, personal::json ->> 'content' AS content FROM leads`,
  )
  await client.end()
  const stored = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
  // Each lead of the load has unique content.
  assert.equal(new Set(rows.map(({ content }) => content)).size, rows.length)
}

/** Runs a drill on a dedicated server: load, outage, recovery, and then the verification. */
async function drill(outage: (server: OwnServer, store: Store, refused: readonly string[]) => Promise<void>) {
  const server = await startPostgres()
  const errors: unknown[] = []
  const store = await openStore({ url: server.url, onError: (error) => errors.push(error) })
  const { ledger, stop } = steadyLoad(store)
  try {
    await until('first leads', () => ledger.acknowledged.length > 50)
    await outage(server, store, ledger.refused)
    const before = ledger.acknowledged.length
    await until('leads stored again', () => ledger.acknowledged.length > before + 50)
    await until('healthy again', healthy(store))
    const { acknowledged, longestMs } = await stop()
    // The store gives up after five seconds; the rest is for a slow machine.
    assert.ok(longestMs < 8_000, `a caller waited ${longestMs} ms`)
    assert.ok(errors.length > 0, 'the outage was reported')
    await assertKept(server.url, acknowledged)
    return ledger
  } finally {
    await stop()
    await store.close()
    await server.stop()
  }
}

describe('while PostgreSQL is away', { concurrency: true }, () => {
  test(
    'a server that hangs for longer than five seconds: callers get 503 in time, then the service recovers',
    options,
    async () => {
      const { refused } = await drill(async (server, store, refusals) => {
        await server.pause()
        await until('unhealthy', async () => !(await store.check()).ok)
        await until('callers refused', () => refusals.length > 0)
        await server.unpause()
      })
      assert.ok(refused.length > 0)
    },
  )

  test('a server that hangs for 2 seconds: no lead is refused', options, async () => {
    const { refused } = await drill(async (server) => {
      await server.pause()
      // Well below the five seconds after which callers are refused.
      await setTimeout(2_000)
      await server.unpause()
    })
    assert.deepEqual(refused, [])
  })

  test('a server that crashes and recovers', options, async () => {
    await drill(async (server) => {
      const client = new pg.Client({ connectionString: server.url })
      client.on('error', () => {})
      await client.connect()
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      // When a backend process dies, the server ends all the others and replays its WAL.
      const { exitCode, output } = await server.container.exec(['sh', '-c', `kill -9 ${rows[0]?.pid}`])
      assert.equal(exitCode, 0, output)
    })
  })

  test('a server that became read-only, like a former primary', options, async () => {
    await drill(async (server, store) => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      const database = client.database
      await client.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      const reason = async () => {
        const health = await store.check()
        return health.ok ? '' : health.reason
      }
      await until('known as read-only', async () => (await reason()).includes('25006'))
      await client.query('SET default_transaction_read_only = off')
      await client.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`)
      await client.end()
    })
  })

  test('a lock held by another session: callers get 503 in time, then the service recovers', options, async () => {
    await drill(async (server, store, refusals) => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      await client.query('BEGIN')
      await client.query('LOCK TABLE claims')
      await until('unhealthy', async () => !(await store.check()).ok)
      await until('callers refused', () => refusals.length > 0)
      await client.end()
    })
  })
})

describe('opening PostgreSQL', () => {
  test('an unreachable server is reported by migration and health check, without the password', options, async () => {
    const url = 'postgres://lead:secret@127.0.0.1:1/leads'
    await assert.rejects(migrate(url), (error) => {
      assert.match(String(error), /ECONNREFUSED/)
      assert.doesNotMatch(String(error), /secret/)
      return true
    })
    const store = await openStore({ url })
    assert.deepEqual(await store.check(), { ok: false, reason: 'postgres: ECONNREFUSED' })
    await store.close()
  })

  test('the rights in docs/kubernetes.md are enough for a migrated schema', options, async (t) => {
    const document = readFileSync(new URL('../../../docs/kubernetes.md', import.meta.url), 'utf8')
    const [, grants = ''] = /```sql\n(GRANT.*?)```/s.exec(document) ?? []
    const url = await postgresUrl()
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    await migrate(url)
    const role = `writer_${owner.database}`
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'test'; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
    await owner.query(grants.replaceAll('TO lead_intake', `TO ${role}`))
    const limited = new URL(url)
    limited.username = role
    limited.password = 'test'
    const store = await openStore({ url: limited.href, wordings: [{ sha256: 'a', text: 'words' }] })
    t.after(async () => {
      await store.close()
      await owner.query(`DROP OWNED BY ${role}`)
      await owner.query(`DROP ROLE ${role}`)
      await owner.end()
    })
    const { inbox, evidence } = store
    const [lead, other] = [makeLead({ key: 'k' }), makeLead()]
    assert.deepEqual(await store.submit(lead), { kind: 'created' })
    assert.equal((await store.submit({ ...lead, id: makeLead().id })).kind, 'replayed')
    await store.submit(other)
    assert.deepEqual(await store.check(), { ok: true })
    const at = new Date(noon).toISOString()
    const stop = {
      contactHash: 'b',
      keyId: 'c',
      channels: [],
      saidAt: at,
      how: 'by phone',
      recordedAt: at,
      caller: null,
    }
    await inbox.recordStop(stop)
    await inbox.markStopped([other.id], stop)
    await inbox.stopMarked(stop)
    assert.equal(await inbox.erase(lead.id, { at, reason: 'request', caller: null }, [stop]), at)
    assert.equal((await inbox.readChanges(0, { rows: 9, bytes: 99_999 })).entries.length, 4)
    await createSealer({ store: evidence, key: undefined, now: () => noon, onSealed: () => {} }).seal({ force: true })
    assert.equal((await evidence.segments(0, 9)).length, 1)
    assert.equal(await store.prune(new Date(noon + 100 * 3_600_000).toISOString()), 1)
    // And it may set a sequence right that lags behind.
    await owner.query(`SELECT setval('feed_position', 1, false)`)
    const again = await openStore({ url: limited.href })
    assert.deepEqual(await again.submit(makeLead()), { kind: 'created' })
    assert.equal(await again.inbox.head(), 5)
    await again.close()
  })

  test('a missing function or right is an outage, which is known before the next lead', options, async (t) => {
    const url = await postgresUrl()
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    const errors: unknown[] = []
    const store = await openStore({ url, onError: (error) => errors.push(error) })
    t.after(() => Promise.all([store.close(), owner.end()]))
    await store.submit(makeLead())
    await owner.query('ALTER FUNCTION store_leads RENAME TO store_leads_before')
    await until('the probe reports it', async () => {
      const health = await store.check()
      return !health.ok && health.reason.includes('42883 function store_leads')
    })
    const outcomes = Promise.all([store.submit(makeLead()), store.submit(makeLead())])
    await until('a commit reports it', () => errors.length > 0)
    assert.match(String(errors[0]), /42883 function store_leads/)
    await owner.query('ALTER FUNCTION store_leads_before RENAME TO store_leads')
    assert.deepEqual(await outcomes, [{ kind: 'created' }, { kind: 'created' }])
    assert.deepEqual(await store.check(), { ok: true })
  })

  test(
    'a sequence that lags behind is set right: no lead gets a position that a consumer has passed',
    options,
    async (t) => {
      const url = await postgresUrl()
      const owner = new pg.Client({ connectionString: url })
      await owner.connect()
      t.after(() => owner.end())
      const first = await openStore({ url })
      for (let count = 0; count < 5; count++) await first.submit(makeLead())
      await first.close()
      // As after an upgrade by logical replication, whose gaps leave room: the leads 1 to 4 were erased from the tables.
      await owner.query(`ALTER TABLE leads DISABLE TRIGGER ALL; DELETE FROM leads WHERE position < 5`)
      await owner.query(`SELECT setval('feed_position', 1, false)`)
      const store = await openStore({ url })
      t.after(() => store.close())
      const lead = makeLead()
      assert.deepEqual(await store.submit(lead), { kind: 'created' })
      await store.inbox.erase(lead.id, { at: new Date(noon).toISOString(), reason: 'request', caller: null })
      const { entries } = await store.inbox.readChanges(0, { rows: 9, bytes: 99_999 })
      assert.deepEqual(
        entries.map(({ position }) => position),
        [5, 6, 7],
      )
    },
  )

  test('a lead that waits for a missing standby is not acknowledged before the standby has it', options, async () => {
    const server = await startPostgres()
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const store = await openStore({ url: server.url })
    try {
      await store.submit(makeLead())
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
      await client.query('SELECT pg_reload_conf()')
      await until('the server waits for it', async () => {
        const { rows } = await client.query('SHOW synchronous_standby_names')
        return rows[0]?.synchronous_standby_names === 'nobody'
      })
      const lead = makeLead({ key: 'k' })
      const unavailable = (error: unknown) => error instanceof LeadError && error.code === 'service_unavailable'
      // The first attempt stores it and gives up waiting. Nor does a later one, or a repetition, acknowledge it.
      await assert.rejects(store.submit(lead), unavailable)
      await assert.rejects(store.submit({ ...lead, id: makeLead().id }), unavailable)
      await client.query('ALTER SYSTEM RESET synchronous_standby_names')
      await client.query('SELECT pg_reload_conf()')
      await until('it is acknowledged', async () => (await store.submit(lead)).kind === 'created')
    } finally {
      await client.end()
      await store.close()
      await server.stop()
    }
  })

  test('a constraint that no lead can meet is an outage too', options, async (t) => {
    const url = await postgresUrl()
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    const errors: unknown[] = []
    const store = await openStore({ url, onError: (error) => errors.push(error) })
    t.after(() => Promise.all([store.close(), owner.end()]))
    await store.submit(makeLead())
    await owner.query(`ALTER TABLE leads ADD crm text NOT NULL DEFAULT ''; ALTER TABLE leads ALTER crm DROP DEFAULT`)
    const outcome = store.submit(makeLead())
    await until('a commit reports it', () => errors.length > 0)
    assert.match(String(errors[0]), /postgres: 23502 leads crm/)
    await owner.query('ALTER TABLE leads DROP crm')
    assert.deepEqual(await outcome, { kind: 'created' })
  })

  test("an operator's constraint refuses one lead, and nobody waits behind it", options, async (t) => {
    const url = await postgresUrl()
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    const store = await openStore({ url })
    t.after(() => Promise.all([store.close(), owner.end()]))
    await store.submit(makeLead({ kind: 'quote' }))
    await owner.query('CREATE UNIQUE INDEX one_of_a_kind ON leads (kind)')
    const [second, other] = await Promise.allSettled(
      (['quote', 'support'] as const).map((kind) => store.submit(makeLead({ kind }))),
    )
    assert.match(String(second?.status === 'rejected' && second.reason), /23505 leads one_of_a_kind/)
    assert.deepEqual(other, { status: 'fulfilled', value: { kind: 'created' } })
    assert.deepEqual(await store.check(), { ok: true })
  })

  test('a database in another encoding than UTF-8 is refused', options, async (t) => {
    const url = await postgresUrl()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const name = `${client.database}_latin1`
    t.after(async () => {
      await client.query(`DROP DATABASE ${name}`)
      await client.end()
    })
    await client.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
    const latin1 = new URL(url)
    latin1.pathname = name
    await assert.rejects(
      openStore({ url: latin1.href }),
      /the database has the encoding LATIN1: create another one with/,
    )
  })

  test('synchronous_commit = off on the server is overridden', options, async (t) => {
    const url = await postgresUrl()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`ALTER DATABASE ${client.database} SET synchronous_commit = off`)
    const store = await openStore({ url })
    t.after(() => Promise.all([store.close(), client.end()]))
    await client.query(`
      CREATE TABLE seen (setting text);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE TRIGGER see AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION see()`)
    await store.submit(makeLead())
    assert.deepEqual((await client.query('SELECT setting FROM seen')).rows, [{ setting: 'on' }])
  })

  test(
    'default_transaction_isolation on the server is overridden: a batch sees the claims of the one before it',
    options,
    async (t) => {
      const url = await postgresUrl()
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`ALTER DATABASE ${client.database} SET default_transaction_isolation = 'repeatable read'`)
      t.after(() => client.end())
      const stores = await Promise.allSettled([openStore({ url }), openStore({ url })])
      t.after(() => Promise.all(stores.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined))))
      const [first, second] = stores.map((each) =>
        each.status === 'fulfilled' ? each.value : assert.fail(each.reason),
      )
      assert.ok(first && second)
      const lead = makeLead()
      await client.query('BEGIN')
      await client.query('LOCK TABLE claims')
      const outcomes = Promise.all([first.submit(lead), second.submit({ ...lead, id: makeLead().id })])
      await until('both wait', async () => {
        const waiting = `SELECT FROM pg_locks WHERE NOT granted`
        return (await client.query(waiting)).rowCount === 2
      })
      await client.query('COMMIT')
      assert.deepEqual((await outcomes).map(({ kind }) => kind).toSorted(), ['created', 'duplicate'])
    },
  )
})
