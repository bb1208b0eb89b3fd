import assert from 'node:assert/strict'
import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { moveToPostgres } from '../../src/store/move.ts'
import { openStore } from '../../src/store/open.ts'
import { copyDatabase, restoreDatabase } from '../../src/store/sqlite/backup.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { newFolder } from '../support/machine.ts'
import { byRequest, contact, makeLead, optOut } from './leads.ts'

const folder = newFolder()
let files = 0
const newFile = () => join(folder, `${++files}.db`)

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
  const file = newFile()
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
    const [file, backup] = [await fullDatabase(), newFile()]
    copyDatabase(file, backup)
    assert.equal(statSync(backup).mode & 0o777, 0o600)
    for (const left of [`${file}-wal`, `${file}-shm`]) assert(!existsSync(left), left)
    const restored = newFile()
    const { leads, erased } = await restoreDatabase(createReadStream(backup), restored)
    assert.deepEqual([leads, erased], [3, 1])
    assert.equal(statSync(restored).mode & 0o777, 0o600)
    assert.deepEqual(contentsOf(restored), contentsOf(file))
    await assert.rejects(restoreDatabase(createReadStream(backup), restored), /already exists: stop the service/)
    const none = newFile()
    assert.throws(() => copyDatabase(newFile(), none), /no database at/)
    assert(!existsSync(none))
  })

  test('that is damaged or from a newer version is not restored', async () => {
    const makeNewer = (file: string) => {
      {
        using database = new DatabaseSync(file)
        database.exec(`INSERT INTO schema_migrations (version, name) VALUES (999, 'later')`)
      }
      // After going back by one release, backups go on.
      copyDatabase(file, newFile())
    }
    for (const [change, message] of [
      [(file: string) => writeFileSync(file, readFileSync(file).fill(0xff, 60_000)), /damaged|malformed/],
      [makeNewer, /made by a newer version/],
    ] as const) {
      const [backup, target] = [await fullDatabase(), newFile()]
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
