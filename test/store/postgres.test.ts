import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createInbox } from '../../src/inbox/inbox.ts'
import type { LeadError } from '../../src/lead/error.ts'
import { migrate, openStore, type Store } from '../../src/store/open.ts'
import { locks } from '../../src/store/postgres/connection.ts'
import { migratePostgres } from '../../src/store/postgres/database.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { startPostgresServer } from '../drills/postgres-server.ts'
import { postgresUrl, queryPostgres, skipWithoutEngine } from '../support/backends.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { postgresBackend, storeTest } from './backends.ts'
import { byRequest, contact, listedOptOut, makeLead, noon, optOut } from './leads.ts'

const unavailable = { name: 'LeadError', code: 'service_unavailable' }
const endOthers =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
const everything = { rows: 9, bytes: 99_999 }
const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted'

const testStore = storeTest(postgresBackend)

suite('PostgreSQL', { skip: skipWithoutEngine }, () => {
  test('that cannot be used is reported by migration and health check, without the password', async () => {
    const url = await postgresUrl()
    for (const [faulty, message] of [
      ['postgres://lead:secret@127.0.0.1:1/leads', /^postgres: ECONNREFUSED$/],
      // In the words of the driver where there is no code.
      [`${url}?sslmode=verify-full`, /^postgres: The server does not support SSL connections$/],
      [Object.assign(new URL(url), { password: '' }).href, /^postgres: SASL: .*password must be a.* string$/],
    ] as const) {
      await assert.rejects(migrate(faulty), { message })
      const store = await openStore({ url: faulty })
      assert.match(String(await store.findTrouble()), message)
      await store.close()
    }
    const noFile = `${url}?sslrootcert=/nowhere/ca.crt`
    await assert.rejects(openStore({ url: noFile }), { transient: false, message: /ENOENT.*\/nowhere\/ca\.crt/ })
    const latin = await postgresUrl(`ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
    await assert.rejects(openStore({ url: latin }), /the database has the encoding LATIN1: create another one with/)
  })

  testStore('needs only the roles and rights in docs/kubernetes.md', async ({ url, database, another }) => {
    const document = readFileSync(new URL('../../docs/kubernetes.md', import.meta.url), 'utf8')
    const [roles = '', grants = ''] = [...document.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
    const name = `rights${new URL(url).pathname.slice(12, 24)}`
    const own = (sql: string) => sql.replaceAll(/lead_intake|leads(?=_)|(?<=DATABASE )leads/g, name)
    const as = (role: string, password: string) =>
      Object.assign(new URL(url), { username: name + role, password, pathname: name }).href
    const [owner, limited] = [as('_owner', 'OWNER'), as('', 'SERVICE')]
    for (const statement of own(roles).trim().split('\n')) await database.exec(statement)
    await migrate(owner)
    await queryPostgres(owner, own(grants))
    // The one that dumps may read, and anybody else may not connect.
    assert.deepEqual(await queryPostgres(as('_backup', 'BACKUP'), 'SELECT FROM leads, feed_position'), [])
    await database.exec(`CREATE ROLE ${name}_other LOGIN PASSWORD 'OTHER'`)
    await assert.rejects(queryPostgres(as('_other', 'OTHER'), 'SELECT'), { code: '42501' })
    const store = await another({ url: limited, publishedTexts: [{ sha256: 'a', text: 'words' }] })
    const { inbox } = store
    const [lead, other] = [makeLead({ key: 'k' }), makeLead({ content: { phone: contact.value } })]
    assert.deepEqual(await store.add(lead), { kind: 'created' })
    assert.equal((await store.add({ ...lead, id: makeLead().id })).kind, 'replayed')
    await store.add(other)
    assert.equal(await store.findTrouble(), undefined)
    await inbox.recordOptOut(optOut)
    assert.deepEqual(await inbox.erase([lead.id], byRequest, [optOut]), [lead.id])
    assert.deepEqual(await inbox.listOptOuts(undefined, 9), [listedOptOut])
    assert.equal((await inbox.readFeed(0, everything)).entries.length, 4)
    await store.prune(new Date(noon).toISOString())
    // And it may set a sequence right that lags behind.
    await queryPostgres(owner, `SELECT setval('feed_position', 1, false)`)
    const again = await another({ url: limited })
    assert.deepEqual(await again.add(makeLead()), { kind: 'created' })
    assert.equal(await again.inbox.head(), 5)
    // Its password is replaced while it serves, by a second role.
    const runbook = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    const [create = '', retire = ''] = [...runbook.matchAll(/`((?:CREATE|ALTER) ROLE .+?(?:intake|LOGIN))`/g)].map(
      ([, sql = '']) => own(sql),
    )
    await database.exec(create)
    const next = await another({ url: as('_service', 'NEW') })
    await again.add(makeLead())
    await database.exec(retire)
    await assert.rejects(queryPostgres(limited, 'SELECT'), { code: '28000' })
    assert.deepEqual(await next.add(makeLead()), { kind: 'created' })
    await database.exec(`ALTER ROLE ${name} LOGIN`)
    // Row-level security would hide opt-outs. Instead, it is an outage that names the table.
    await queryPostgres(owner, 'ALTER TABLE opt_outs ENABLE ROW LEVEL SECURITY')
    await assert.rejects(again.inbox.findOptOuts([contact]), { code: 'inbox_unavailable' })
    const waiting = again.add(makeLead())
    const reason = /^postgres: 42501 .*policy for table "opt_outs": its role needs BYPASSRLS$/
    await until('the reason', async () => reason.test(String(await again.findTrouble())))
    await queryPostgres(owner, 'ALTER TABLE wordings ENABLE ROW LEVEL SECURITY')
    await assert.rejects(again.findWording('2026'), unavailable)
    await queryPostgres(owner, 'ALTER TABLE schema_migrations ENABLE ROW LEVEL SECURITY')
    await assert.rejects(migrate(limited), /42501 .*policy for table "schema_migrations": its role needs BYPASSRLS$/)
    await database.exec(`ALTER ROLE ${name} BYPASSRLS`)
    assert.deepEqual(await waiting, { kind: 'created' })
    for (const { inbox } of [again, next]) assert.deepEqual(await inbox.findOptOuts([contact]), [listedOptOut])
    await Promise.all([store.close(), again.close(), next.close()])
    await database.exec(`DROP DATABASE ${name}`)
    await database.exec(`DROP ROLE ${['', '_owner', '_backup', '_other'].map((role) => name + role).join(', ')}`)
  })

  for (const [what, breakIt, mendIt, reason] of [
    ['a locked table', 'BEGIN; LOCK TABLE leads', 'ROLLBACK', /55P03/],
    [
      'a full disk',
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON leads FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
      'DROP TRIGGER full_disk ON leads',
      /53100/,
    ],
    [
      'a missing function or right',
      'ALTER FUNCTION store_leads RENAME TO store_leads_before',
      'ALTER FUNCTION store_leads_before RENAME TO store_leads',
      /42883 function store_leads/,
    ],
    [
      'a constraint that no lead can meet',
      `ALTER TABLE leads ADD crm text NOT NULL DEFAULT ''; ALTER TABLE leads ALTER crm DROP DEFAULT`,
      'ALTER TABLE leads DROP crm',
      /postgres: 23502 leads crm/,
    ],
    // Also by a new connection, which could be made.
    ['a lock that another session holds', 'BEGIN; LOCK TABLE leads', 'COMMIT', /postgres: statement_timeout/],
  ] as const) {
    testStore(`takes ${what} for an outage: leads wait, and are stored when it is over`, async (fixture) => {
      const { store, reasons, database } = fixture
      await store.add(makeLead())
      await database.exec(breakIt)
      const outcomes = Promise.all([store.add(makeLead()), store.add(makeLead())])
      await until('a commit reports it', () => reasons.some((text) => reason.test(text)))
      await database.exec(mendIt)
      assert.deepEqual(await outcomes, [{ kind: 'created' }, { kind: 'created' }])
      assert.equal(await store.findTrouble(), undefined)
    })
  }

  testStore('records an opt-out that takes longer than a lead may', async ({ store, database, fill }) => {
    await fill(makeLead({ content: { phone: contact.value } }))
    await database.exec(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(2); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON changes FOR EACH ROW EXECUTE FUNCTION slow()`)
    await store.inbox.recordOptOut(optOut)
    assert.deepEqual(await store.inbox.findOptOuts([contact]), [listedOptOut])
  })

  test('acknowledges no lead before a missing standby has it', async (t) => {
    const server = await startPostgresServer()
    t.after(() => server[Symbol.asyncDispose]())
    const database = await postgresBackend.openDatabase(server.url)
    t.after(() => database.close())
    const store = await openStore({ url: server.url })
    t.after(() => store.close())
    await store.add(makeLead())
    await database.exec(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
    await database.exec('SELECT pg_reload_conf()')
    // The checkpointer makes commits wait a moment later.
    await until('the server waits for it', async () => !(await store.add(makeLead()).then(Boolean, () => false)))
    const lead = makeLead({ key: 'k' })
    // An attempt stores it and gives up waiting. Nor does a later one, or a repetition, acknowledge it.
    await assert.rejects(store.add(lead), unavailable)
    await assert.rejects(store.add({ ...lead, id: makeLead().id }), unavailable)
    await database.exec('ALTER SYSTEM RESET synchronous_standby_names')
    await database.exec('SELECT pg_reload_conf()')
    await until('it is acknowledged', async () => /created|replayed/.test((await store.add(lead)).kind))
  })

  // So that a batch sees the claims of the one before.
  testStore('overrides synchronous_commit, isolation and jit of the server', async ({ url, database, another }) => {
    const name = new URL(url).pathname.slice(1)
    await database.exec(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    await database.exec(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`)
    const [one, other] = [await another(), await another()]
    await database.exec(`
      CREATE TABLE seen (setting text);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen SELECT concat_ws(' ', current_setting('synchronous_commit'), current_setting('jit')); RETURN NULL; END $$;
      CREATE TRIGGER see AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION see()`)
    const lead = makeLead()
    await database.exec('BEGIN; LOCK TABLE claims')
    const outcomes = Promise.all([one.add(lead), other.add({ ...lead, id: makeLead().id })])
    await until('both wait', async () => (await database.all(waiting)).length === 2)
    await database.exec('COMMIT')
    assert.deepEqual((await outcomes).map(({ kind }) => kind).toSorted(), ['created', 'duplicate'])
    assert.deepEqual(await database.all('SELECT DISTINCT setting FROM seen'), [{ setting: 'on off' }])
  })

  testStore('is migrated while leads are stored and a reader locks the table', async ({ url, store, database }) => {
    // Reads like pg_dump: one transaction that holds a lock on every table.
    await database.exec('BEGIN; LOCK TABLE leads IN ACCESS SHARE MODE')
    const change = { name: 'changed', sql: 'ALTER TABLE leads ADD COLUMN changed text' }
    const migrated = migratePostgres(url, [...postgresMigrations, change])
    const waits = `SELECT pid FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`
    await until('the migration waits', async () => (await database.all(waits)).length === 1)
    for (let count = 0; count < 3; count++) assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
    await database.exec('ROLLBACK')
    await migrated
    assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
  })
})

suite('the feed of PostgreSQL', { skip: skipWithoutEngine }, () => {
  /** Follows quote requests from the beginning. */
  async function follow(store: Store) {
    const { watch, consumers } = createInbox(store.inbox, () => noon)
    const start = { cursor: '', startTime: undefined, startNow: false, kind: 'quote', consumer: '' } as const
    const stream = await watch(start, new AbortController().signal)
    async function* leadsOf() {
      for await (const { lead } of stream) if (lead) yield lead.id
    }
    const hasRead = async () => (await consumers.readLags())[0]?.lagSeconds === 0
    return { leads: leadsOf(), untilRead: () => until('the stream has read everything', hasRead) }
  }

  /** Counts the signals of a replica from now on: what is committed after this is signaled. */
  async function signalsOf({ inbox }: Store) {
    const signals = { count: 0, end: inbox.onStored(() => void signals.count++) }
    await inbox.head()
    return signals
  }

  testStore('signals what any replica stores, to the first who follows and after all have left', async (fixture) => {
    const { store, another } = fixture
    const other = await another()
    for (let round = 1; round <= 3; round++) {
      const all = await Promise.all([store, store, other].map(signalsOf))
      await other.add(makeLead())
      await until('all have a signal', () => all.every(({ count }) => count === 1))
      for (const { end } of all) end()
    }
  })

  testStore('signals a commit during which the first follower arrives', async ({ store, another, database }) => {
    const other = await another()
    await database.exec(`BEGIN; SELECT ${locks.feed}`)
    const added = other.add(makeLead())
    await until('the commit waits', async () => (await database.all(waiting)).length === 1)
    const signals = await signalsOf(store)
    assert.equal(await store.inbox.head(), 0)
    await database.exec('COMMIT')
    await added
    await until('a signal', () => signals.count === 1)
  })

  testStore('signals what is stored after a reconnect', async ({ store, another, database }) => {
    const other = await another()
    const signals = await signalsOf(store)
    await database.exec(endOthers)
    await until('it reads again', async () => (await store.inbox.head()) >= 0)
    const { count } = signals
    await until('a lead', () => other.add(makeLead()).then(Boolean, () => false))
    await until('a signal', () => signals.count > count)
  })

  for (const [outcome, kind] of [
    ['ends with cursor_lost when the server that took over does not know its cursor', 'quote'],
    ['continues when that server is missing only what it has skipped', 'support'],
  ] as const) {
    testStore(outcome, async ({ store, database }) => {
      const { leads, untilRead } = await follow(store)
      for (const lead of [makeLead(), makeLead({ kind })]) await store.add(lead)
      await leads.next()
      if (kind === 'quote') await leads.next()
      const next = leads.next().then(
        ({ value }) => value,
        (error: LeadError) => error.code,
      )
      await untilRead()
      // As after the promotion of a standby that lagged: the last lead is gone, and its position is used again.
      await database.exec(`SET session_replication_role = replica;
        DELETE FROM leads WHERE position = (SELECT max(position) FROM leads);
        SELECT setval('feed_position', (SELECT max(position) FROM leads))`)
      await database.exec(endOthers)
      const lead = makeLead()
      await until('a lead', () => store.add(lead).then(Boolean, () => false))
      assert.equal(await next, kind === 'quote' ? 'cursor_lost' : lead.id)
      await leads.return(undefined)
    })
  }
})

for (const poolMode of ['session', 'transaction']) {
  test(`behind PgBouncer in ${poolMode} mode, leads are stored, or the start is refused and says why`, {
    skip: skipWithoutEngine || skipWithout('pgbouncer'),
  }, async (t) => {
    const url = new URL(await postgresUrl())
    const [port] = await freePorts(1)
    const folder = newFolder()
    // It refuses to run as root, and its user must be able to read its files.
    chmodSync(folder, 0o755)
    const settings = join(folder, 'pgbouncer.ini')
    writeFileSync(join(folder, 'users.txt'), `"${url.username}" "${url.password}"`)
    writeFileSync(
      settings,
      `[databases]\n* = host=${url.hostname} port=${url.port}\n[pgbouncer]\n${[
        ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', `pool_mode = ${poolMode}`],
        ...['auth_type = trust', `auth_file = ${join(folder, 'users.txt')}`],
      ].join('\n')}`,
    )
    const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    const child = spawn('pgbouncer', [...asWhom, settings], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    t.after(async () => {
      child.kill('SIGKILL')
      await ended
    })
    url.host = `127.0.0.1:${port}`
    // A pooler opens its first connection in its own time. The service itself would wait for it.
    const refusal = /DATABASE_URL points to a pooler in transaction mode; session mode is required/
    if (poolMode === 'transaction') {
      await until('the refusal', () => assert.rejects(migrate(url.href), refusal).then(() => true))
      return
    }
    await until('the pooler answers', () => migrate(url.href).then(() => true))
    const store = await openStore({ url: url.href })
    assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
    await store.close()
  })
}
