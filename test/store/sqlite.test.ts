import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import type { NewLead } from '../../src/lead/submission.ts'
import { openStore } from '../../src/store/open.ts'
import { until } from '../support/until.ts'
import { newFile, sqliteBackend, storeTest } from './backends.ts'
import { byRequest, makeLead } from './leads.ts'

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
