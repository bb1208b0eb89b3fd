import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import type { NewLead } from '../../src/lead/submission.ts'
import { moveToPostgres } from '../../src/store/move.ts'
import { openStore } from '../../src/store/open.ts'
import { copyDatabase, restoreDatabase } from '../../src/store/sqlite/backup.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { until } from '../support/until.ts'
import { newFile, sqliteBackend, storeTest } from './backends.ts'
import { byRequest, contact, makeLead, optOut } from './leads.ts'

const testStore = storeTest(sqliteBackend)

suite('a SQLite file', () => {
  test('is created with its folder, and becomes readable by its owner only, even if others could read it', async () => {
    const path = newFile('one', 'two', 'leads.db')
    const files = [path, `${path}-wal`, `${path}-shm`]
    const stores = []
    for (let start = 1; start <= 2; start++) {
      const store = await openStore({ url: `sqlite:${path}` })
      stores.push(store)
      await store.add(makeLead())
      for (const file of files) {
        assert.equal(statSync(file).mode & 0o777, 0o600, file)
        chmodSync(file, 0o644)
      }
    }
    await Promise.all(stores.map((store) => store.close()))
  })

  testStore('locked by another process is waited for, and named', async ({ store, reasons, database }) => {
    await database.exec('BEGIN IMMEDIATE')
    const submitted = store.add(makeLead())
    await until('an attempt fails', () => reasons.length > 0)
    assert.match(`${reasons[0]}`, /sqlite_5: database is locked/)
    assert.match(String(await store.findTrouble()), /database is locked/)
    await database.exec('COMMIT')
    assert.deepEqual(await submitted, { kind: 'created' })
    assert.equal(await store.findTrouble(), undefined)
  })

  testStore('with a changed schema is an outage, with a reason, until it is repaired', async ({ store, database }) => {
    for (const [breakIt, mendIt, reason] of [
      ['claims RENAME TO c2', 'c2 RENAME TO claims', /sqlite_1: no such table: claims/],
      ['leads RENAME phone TO p2', 'leads RENAME p2 TO phone', /^sqlite_1: .* no column named phone/],
    ] as const) {
      await database.exec(`ALTER TABLE ${breakIt}`)
      const isKnown = async () => reason.test(String(await store.findTrouble()))
      await until('the probe finds it', isKnown)
      const submitted = store.add(makeLead())
      await until('the commit fails', isKnown)
      await database.exec(`ALTER TABLE ${mendIt}`)
      assert.deepEqual(await submitted, { kind: 'created' })
      assert.equal(await store.findTrouble(), undefined)
    }
  })
})

/** A lead whose personal texts can be searched for. `length`: long enough to need overflow pages. */
function markedLead(length: number): { lead: NewLead; marks: string[] } {
  const mark = randomUUIDv7()
  const marks = ['Erasable-Content', 'Erasable-Agent', 'Erasable-Page', 'erasable-email'].map((text) => text + mark)
  const [content = '', userAgent = '', pageUrl = '', email = ''] = marks
  const notes = content + 'x'.repeat(length) + content
  return { marks, lead: makeLead({ content: { notes, pageUrl, email }, from: { userAgent } }) }
}

/** Those of the marks that are in some file of the database. */
function found(url: string, marks: string[]): string[] {
  const folder = dirname(url.slice('sqlite:'.length))
  const bytes = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))))
  return marks.filter((mark) => bytes.includes(mark))
}

suite('erased text', () => {
  testStore('is removed from all files, however long it was, while the service runs', async ({ url, store }) => {
    const leads = [10, 3_000, 15_000].map(markedLead)
    for (const { lead } of leads) await store.add(lead)
    for (const { lead, marks } of leads) {
      assert.deepEqual(found(url, marks), marks)
      await store.inbox.erase([lead.id], byRequest)
      assert.deepEqual(found(url, marks), [])
    }
  })

  testStore('stays while another program reads the file, and goes when that has ended', async (fixture) => {
    const { url, store, database } = fixture
    const { lead, marks } = markedLead(10)
    await store.add(lead)
    await database.exec('BEGIN')
    await database.all('SELECT count(*) FROM leads')
    await store.inbox.erase([lead.id], byRequest)
    assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
    assert.deepEqual(found(url, marks), marks)
    const [warning] = await once(process, 'warning')
    assert.match(warning.message, /^Erased text stays in .*leads\.db until other programs close it/)
    await database.exec('COMMIT')
    await until('they are gone', () => found(url, marks).length === 0)
  })
})

/** Every row of every table, without what each start and health check writes. */
function contentsOf(file: string) {
  using database = new DatabaseSync(file, { readOnly: true })
  const tables = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migrations', 'write_probe')",
  )
  return Object.fromEntries(
    tables.all().map(({ name }) => [String(name), database.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]),
  )
}

/** A database with rows in each table. */
async function fullDatabase(): Promise<string> {
  const file = newFile('leads.db')
  const publishedTexts = [{ sha256: 'a'.repeat(64), text: 'I ask “Example Cleaning” to contact me.\n' }]
  const store = await openStore({ url: `sqlite:${file}`, publishedTexts })
  const leads = [makeLead({ key: 'k', words: 'same' }), makeLead({ kind: 'support' }), makeLead()]
  for (const lead of leads) await store.add(lead)
  const quoted = { ...optOut, caller: '“crm”' }
  await store.inbox.erase([String(leads[1]?.id)], { ...byRequest, caller: 'crm "internal"' }, [quoted])
  await store.close()
  for (const [name, rows] of Object.entries(contentsOf(file))) assert(rows.length > 0, `${name} is empty`)
  return file
}

suite('a backup of SQLite', () => {
  test('has every row of every table, and is readable by its owner only', async () => {
    const [file, backup] = [await fullDatabase(), newFile('leads.db')]
    copyDatabase(file, backup)
    assert.equal(statSync(backup).mode & 0o777, 0o600)
    for (const left of [`${file}-wal`, `${file}-shm`]) assert(!existsSync(left), left)
    const restored = newFile('leads.db')
    const { leads, erased } = await restoreDatabase(createReadStream(backup), restored)
    assert.deepEqual([leads, erased], [3, 1])
    assert.equal(statSync(restored).mode & 0o777, 0o600)
    assert.deepEqual(contentsOf(restored), contentsOf(file))
    await assert.rejects(restoreDatabase(createReadStream(backup), restored), /already exists: stop the service/)
    const none = newFile('leads.db')
    assert.throws(() => copyDatabase(newFile('leads.db'), none), /no database at/)
    assert(!existsSync(none))
  })

  test('that is damaged or from a newer version is not restored', async () => {
    const makeNewer = (file: string) => {
      {
        using database = new DatabaseSync(file)
        database.exec(`INSERT INTO schema_migrations (version, name) VALUES (999, 'later')`)
      }
      // After going back by one release, backups go on.
      copyDatabase(file, newFile('leads.db'))
    }
    for (const [change, message] of [
      [(file: string) => writeFileSync(file, readFileSync(file).fill(0xff, 60_000)), /damaged|malformed/],
      [makeNewer, /made by a newer version/],
    ] as const) {
      const [backup, target] = [await fullDatabase(), newFile('leads.db')]
      change(backup)
      await assert.rejects(restoreDatabase(createReadStream(backup), target), message)
      assert(!existsSync(target) && !existsSync(`${target}.partial`))
    }
  })
})

test('a move from SQLite to PostgreSQL copies everything, and the service continues from there', {
  skip: skipWithoutEngine,
}, async (t) => {
  const file = await fullDatabase()
  const before = await openStore({ url: `sqlite:${file}` })
  const everything = { rows: 100, bytes: 1_000_000 }
  const feed = await before.inbox.readFeed(0, everything)
  const texts = await before.readPublishedTexts()
  const url = await postgresUrl()
  await assert.rejects(moveToPostgres(file, url), /is in use: stop the service first/)
  await before.close()
  // The service has been started there. Its texts would say that earlier consents came before the wording.
  const started = await postgresUrl()
  await (await openStore({ url: started, publishedTexts: texts })).close()
  await assert.rejects(moveToPostgres(file, started), /the table wordings is not empty: use a new database, on which/)
  const counts = await moveToPostgres(file, url)
  assert.deepEqual(counts, { changes: 1, claims: 3, leads: 3, opt_outs: 1, wordings: 1 })

  const store = await openStore({ url })
  t.after(() => store.close())
  assert.deepEqual(await store.inbox.readFeed(0, everything), feed)
  assert.deepEqual(await store.inbox.idAt(4), feed.entries[3]?.id, 'a cursor is still known')
  assert.deepEqual(await store.readPublishedTexts(), texts)
  assert.equal((await store.inbox.findOptOuts([contact])).length, 1)
  assert.equal((await store.add(makeLead({ key: 'k', words: 'same' }))).kind, 'replayed')
  await store.add(makeLead())
  await assert.rejects(moveToPostgres(file, url), /is not empty: use a new database/)
  assert.equal(await store.inbox.head(), 5, 'what was there stays')
})
