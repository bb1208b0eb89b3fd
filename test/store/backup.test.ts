import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import pg from 'pg'
import { backUp, restore } from '../../src/store/backup.ts'
import { migrate, openStore } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { makeLead } from './leads.ts'

const folder = mkdtempSync(join(tmpdir(), 'backup-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = () => join(folder, `${++files}.db`)

/** Every row of every table, except for intended differences. */
function contentsOf(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migrations', 'write_probe')",
      )
      .all()
    return Object.fromEntries(
      tables.map(({ name }) => [String(name), database.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]),
    )
  } finally {
    database.close()
  }
}

/** A database with rows in each table. */
async function fullDatabase(): Promise<string> {
  const file = newFile()
  const url = `sqlite:${file}`
  const wordings = [{ sha256: 'a'.repeat(64), text: 'I ask “Example Cleaning” to contact me.\n' }]
  const store = await openStore({ url, wordings })
  const leads = [makeLead({ key: 'k' }), makeLead({ kind: 'support' }), makeLead()]
  for (const lead of leads) await store.submit(lead)
  const erasure = { at: '2026-11-21T10:00:00.000Z', reason: 'request', caller: 'crm "internal"' } as const
  await store.inbox.erase(leads[1]?.id as string, erasure)
  await store.close()
  const database = new DatabaseSync(file)
  database.exec(`
    INSERT INTO stops (contact_hash, recorded_at, channels, said_at, how, caller, marked) VALUES
      ('hash', '2026-11-21T10:00:00.000Z', '["sms"]', '2026-11-21T09:00:00.000Z', 'said “stop”', NULL, 1),
      ('hash', '2026-11-21T10:00:00.001Z', '["call"]', '2026-11-21T09:00:00.000Z', 'by phone', 'crm', 0);
    INSERT INTO consent_seals (segment, first_position, last_position, entries, key_id, seal, sealed_at)
      VALUES (1, 1, 4, 4, NULL, '${'0f'.repeat(32)}', '2026-11-21T10:00:01.000Z')`)
  database.close()
  const contents = contentsOf(file)
  for (const [name, rows] of Object.entries(contents)) assert(rows.length > 0, `${name} is empty`)
  return url
}

suite('a backup', () => {
  test('of SQLite has every row of every table, and is readable by its owner only', async () => {
    const url = await fullDatabase()
    const [backup, restored] = [newFile(), newFile()]
    const summary = await backUp(url, backup)
    assert.deepEqual([summary.leads, summary.erased], [3, 1])
    assert.equal(statSync(backup).mode & 0o777, 0o600)
    chmodSync(backup, 0o644)
    await restore(`sqlite:${restored}`, backup)
    assert.equal(statSync(restored).mode & 0o777, 0o600)
    assert.deepEqual(contentsOf(restored), contentsOf(url.slice('sqlite:'.length)))
  })

  test('goes from SQLite to PostgreSQL and back unchanged', { skip: skipWithoutEngine }, async () => {
    const url = await fullDatabase()
    const other = await postgresUrl()
    const [there, back] = [newFile(), newFile()]
    await backUp(url, there)
    assert.equal((await restore(other, there)).leads, 3)
    await backUp(other, back)
    assert.equal(statSync(back).mode & 0o777, 0o600)
    assert.deepEqual(contentsOf(back), contentsOf(url.slice('sqlite:'.length)))

    const client = new pg.Client(other)
    await client.connect()
    const vacuumed = `SELECT relname FROM pg_class WHERE relallvisible > 0 AND relkind = 'r'
      AND relnamespace = 'public'::regnamespace ORDER BY relname`
    assert.deepEqual(
      (await client.query<{ relname: string }>(vacuumed)).rows.map(({ relname }) => relname),
      ['changes', 'claims', 'leads'],
    )

    const store = await openStore({ url: other })
    await store.submit(makeLead())
    await store.close()
    const { rows } = await client.query<{ last: number }>('SELECT max(position)::integer AS last FROM leads')
    await client.end()
    assert.equal(rows[0]?.last, 5, 'three leads and an erasure came before')
  })

  test('overwrites no file and leaves no partial one', async () => {
    const url = await fullDatabase()
    const taken = newFile()
    writeFileSync(taken, 'mine')
    await assert.rejects(backUp(url, taken), /already exists/)
    assert.equal(readFileSync(taken, 'utf8'), 'mine')
    const missing = newFile()
    await assert.rejects(backUp(`sqlite:${folder}/none.db`, missing), /no database at/)
    assert(!readdirSync(folder).some((name) => missing.endsWith(name) || name.endsWith('.partial')))
  })

  test('that is damaged, of another kind or from a newer version is refused', async () => {
    const backup = newFile()
    await backUp(await fullDatabase(), backup)
    const target = `sqlite:${newFile()}`
    const bytes = readFileSync(backup)
    const damaged = newFile()
    // Everything after the schema.
    writeFileSync(damaged, bytes.fill(0xff, bytes.length / 2))
    await assert.rejects(restore(target, damaged), /damaged/)
    const text = newFile()
    writeFileSync(text, 'no database\n')
    await assert.rejects(restore(target, text), /is not a backup of leads/)
    await assert.rejects(restore(target, join(folder, 'none')), /no such file/)
    const newer = newFile()
    copyFileSync(backup, newer)
    const database = new DatabaseSync(newer)
    database.exec(`INSERT INTO schema_migrations (version, name) VALUES (999, 'later')`)
    database.close()
    await assert.rejects(restore(target, newer), /made by a newer version/)
  })

  test('is not restored over existing leads', { skip: skipWithoutEngine }, async () => {
    const url = await fullDatabase()
    const backup = newFile()
    await backUp(url, backup)
    await assert.rejects(restore(url, backup), /already exists: stop the service and move/)
    const other = await postgresUrl()
    await restore(other, backup)
    await assert.rejects(restore(other, backup), /is not empty: restore to a new database/)
    const again = newFile()
    assert.equal((await backUp(other, again)).leads, 3, 'what was there stays')
  })

  test('is restored after a service has started on the empty database', { skip: skipWithoutEngine }, async () => {
    const backup = newFile()
    await backUp(await fullDatabase(), backup)
    const other = await postgresUrl()
    await migrate(other)
    const store = await openStore({ url: other, wordings: [{ sha256: 'a'.repeat(64), text: 'the same' }] })
    await restore(other, backup)
    await store.submit(makeLead())
    await store.close()
    assert.equal((await backUp(other, newFile())).leads, 4)
  })
})
