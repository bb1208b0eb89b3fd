import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import type { NewLead } from '../../../src/lead/submission.ts'
import { openStore } from '../../../src/store/open.ts'
import { makeTexts } from '../../support/evidence.ts'
import { makeLead, noon } from '../leads.ts'

const erasure = { at: '2026-11-22T08:00:00.000Z', reason: 'request', caller: null } as const

/** A lead whose personal texts can be searched for. `length`: long enough to need overflow pages. */
function markedLead(length: number): { lead: NewLead; marks: string[] } {
  const mark = randomUUIDv7()
  const marks = ['Erasable-Content', 'Erasable-Agent', 'Erasable-Page'].map((text) => `${text}-${mark}`)
  const [content = '', userAgent = '', pageUrl = ''] = marks
  const texts = makeTexts({ notes: content + 'x'.repeat(length) + content, pageUrl }, 'quote', { userAgent })
  return {
    marks,
    lead: { ...makeLead(), ...texts },
  }
}

suite('erased text', () => {
  test('is removed from all files, however long it was, while the service runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leads-'))
    const store = await openStore({ url: `sqlite:${join(folder, 'leads.db')}` })
    const found = (marks: string[]) => {
      const bytes = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))))
      return marks.filter((mark) => bytes.includes(mark))
    }
    const leads = [10, 3_000, 15_000].map(markedLead)
    await Promise.all(Array.from({ length: 50 }, () => store.submit(makeLead())))
    for (const { lead } of leads) await store.submit(lead)
    for (const { lead, marks } of leads) {
      assert.deepEqual(found(marks), marks)
      await store.inbox.erase(lead.id, erasure)
      assert.deepEqual(found(marks), [])
    }
    await store.close()
    assert.deepEqual(found(leads.flatMap(({ marks }) => marks)), [])
  })

  test('stays in the WAL while another process reads, and is removed by the next erasure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leads-'))
    const path = join(folder, 'leads.db')
    const store = await openStore({ url: `sqlite:${path}` })
    const { lead, marks } = markedLead(10)
    const next = markedLead(10)
    await store.submit(lead)
    await store.submit(next.lead)
    const reader = new DatabaseSync(path)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM leads').get()
    assert.equal(await store.inbox.erase(lead.id, erasure), erasure.at)
    assert.deepEqual(await store.submit(makeLead()), { kind: 'created' })
    reader.exec('COMMIT')
    reader.close()
    await store.inbox.eraseReceivedBefore(new Date(noon + 1).toISOString(), erasure, 10)
    const bytes = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))))
    assert.deepEqual(
      [...marks, ...next.marks].filter((mark) => bytes.includes(mark)),
      [],
    )
    await store.close()
  })
})
