// The contract of every store, whatever its database.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { NewLead, StoreOutcome } from '../../src/lead/submission.ts'
import { migrate, openStore } from '../../src/store/open.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { backends, firstColumn, type OpenDatabase, storeTest } from './backends.ts'
import { type LeadOptions, makeLead, noon } from './leads.ts'

const later = (hours: number) => noon + hours * 3_600_000
/** The receipt that duplicates of a lead get. */
const receiptOf = ({ id, kind, receivedAt }: NewLead) => ({ id, formType: kind, receivedAt })
const ids = (leads: { id: string }[]) => leads.map(({ id }) => id)

/** What the store answers to leads one after the other, and for a receipt, which of them it is of. */
const scenarios: Record<string, [lead: LeadOptions, kind: StoreOutcome['kind'], of?: number][]> = {
  'same key and content: returns the original receipt': [
    [{ words: 'same', key: 'k' }, 'created'],
    [{ words: 'same', key: 'k', atMs: later(1) }, 'replayed', 0],
  ],
  'same key, different content: refuses the key first, and claims no content': [
    [{ key: 'k' }, 'created'],
    [{ words: 'other' }, 'created'],
    [{ key: 'k' }, 'key_reused'],
    [{ key: 'k', words: 'other' }, 'key_reused'],
    [{ key: 'k', words: 'new' }, 'key_reused'],
    [{ words: 'new' }, 'created'],
  ],
  'same content without a key, or with another: returns a duplicate, and claims no key': [
    [{ words: 'same', key: 'k' }, 'created'],
    [{ words: 'same' }, 'duplicate', 0],
    [{ words: 'same', key: 'other' }, 'duplicate', 0],
    [{ key: 'other' }, 'created'],
  ],
  'the windows apply until a millisecond before their end, and not at it': [
    [{ words: 'same', key: 'k' }, 'created'],
    [{ words: 'same', key: 'k', atMs: later(24) - 1 }, 'replayed', 0],
    [{ words: 'same', atMs: later(24) - 1 }, 'duplicate', 0],
    [{ words: 'other', key: 'k', atMs: later(24) - 1 }, 'key_reused'],
    [{ words: 'same', key: 'k', atMs: later(24) }, 'created'],
    [{ words: 'same', key: 'k', atMs: later(25) }, 'replayed', 4],
  ],
  'the two windows of a lead end independently, and a key stays with its lead': [
    [{ words: 'short', key: 'k1', contentHours: 1 }, 'created'],
    [{ words: 'long', key: 'k2', contentHours: 48 }, 'created'],
    [{ words: 'short', key: 'k1', atMs: later(2) }, 'replayed', 0],
    [{ words: 'short', atMs: later(2) }, 'created'],
    [{ words: 'short', key: 'k1', atMs: later(3) }, 'replayed', 0],
    [{ words: 'long', key: 'k2', atMs: later(30) }, 'duplicate', 1],
    [{ words: 'new', key: 'k2', atMs: later(30) }, 'created'],
  ],
  'without a duplicate window, the same content always creates a new lead': [
    [{ words: 'same', contentHours: 0 }, 'created'],
    [{ words: 'same', contentHours: 0 }, 'created'],
  ],
}

for (const backend of backends) {
  const testStore = storeTest(backend)
  const storedIds = (database: OpenDatabase) => firstColumn(database, 'SELECT id FROM leads ORDER BY position')

  suite(`the ${backend.name} store`, { skip: backend.skip }, () => {
    testStore('stores any text unchanged', async ({ store, database }) => {
      const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(texts, async (given) => {
          const notes = given.map((text) => `"\\{},'${text.toWellFormed()}`)
          const leads = notes.map((text) => makeLead({ contentHours: 0, content: { notes: text } }))
          await Promise.all(leads.map((lead) => store.add(lead)))
          const newest = `SELECT id, personal, evidence FROM leads ORDER BY position DESC LIMIT ${leads.length}`
          const stored = new Map((await database.all(newest)).map((row) => [row.id, row]))
          for (const { id, personal, evidence } of leads)
            assert.deepEqual({ ...stored.get(id) }, { id, personal, evidence })
        }),
        { numRuns: 25 },
      )
    })

    for (const [title, steps] of Object.entries(scenarios))
      testStore(title, async ({ store, database }) => {
        const leads: NewLead[] = []
        const created: string[] = []
        for (const [options, kind, of = 0] of steps) {
          const lead = makeLead(options)
          const receipt = leads[of] && receiptOf(leads[of])
          leads.push(lead)
          const hasReceipt = kind === 'replayed' || kind === 'duplicate'
          assert.deepEqual(await store.add(lead), { kind, ...(hasReceipt && { receipt }) }, JSON.stringify(options))
          if (kind === 'created') created.push(lead.id)
        }
        assert.deepEqual(await storedIds(database), created)
      })

    testStore('duplicates within one batch are recognized too', async ({ store, batches }) => {
      const same = { words: 'same', key: 'k' }
      const leads = [same, same, { words: 'other', key: 'k' }, { words: 'same' }, {}].map(makeLead)
      const kinds = (await Promise.all(leads.map((lead) => store.add(lead)))).map(({ kind }) => kind)
      assert.deepEqual(kinds, ['created', 'replayed', 'key_reused', 'duplicate', 'created'])
      assert.equal(batches.length, 1)
    })

    testStore('the same lead again, as after a lost answer, is created once and holds up no other', async (fixture) => {
      const { store, database } = fixture
      const again = [makeLead({ key: 'k' }), makeLead({ contentHours: 0 })]
      const others = [makeLead(), makeLead({ contentHours: 0 })]
      for (const lead of [...again, ...again]) assert.deepEqual(await store.add(lead), { kind: 'created' })
      for (const { kind } of await Promise.all([...again, ...others].map((lead) => store.add(lead))))
        assert.equal(kind, 'created')
      assert.deepEqual(await storedIds(database), ids([...again, ...others]))
    })

    for (const [how, key, ended, kind] of [
      ['without a key', undefined, false, 'duplicate'],
      ['with a key', 'k', false, 'replayed'],
      ['of a lead whose windows have ended', 'k', true, 'replayed'],
    ] as const) {
      testStore(`50 concurrent copies ${how} create one lead, also across two instances`, async (fixture) => {
        const { store, another, database } = fixture
        const other = await another()
        if (ended) await store.add(makeLead({ words: 'same', key }))
        const before = await storedIds(database)
        // The clocks of the two differ by minutes.
        const copies = Array.from({ length: 50 }, (_, index) =>
          makeLead({ words: 'same', key, atMs: later(ended ? 24 : 0) + (index % 2) * 240_000 }),
        )
        const outcomes = await Promise.all(copies.map((lead, index) => (index % 2 ? store : other).add(lead)))
        const created = copies.filter((_, index) => outcomes[index]?.kind === 'created')
        assert.equal(created.length, 1)
        const [first] = created as [NewLead]
        for (const outcome of outcomes)
          if (outcome.kind !== 'created') assert.deepEqual(outcome, { kind, receipt: receiptOf(first) })
        assert.deepEqual(await storedIds(database), [...before, first.id])
      })
    }

    testStore('a lead that the database rejects fails alone, by an error without its data', async (fixture) => {
      const { store, database, batches } = fixture
      await database.exec(backend.refusePoison)
      const leads = Array.from({ length: 1_024 }, (_, index) => makeLead(index === 700 ? { words: 'poison' } : {}))
      for (const [index, result] of (await Promise.allSettled(leads.map((lead) => store.add(lead)))).entries()) {
        assert.equal(result.status, index === 700 ? 'rejected' : 'fulfilled')
        if (result.status === 'fulfilled') continue
        assert.notEqual(result.reason.name, 'LeadError')
        const shown = JSON.stringify(result.reason) + String(result.reason) + result.reason.stack
        assert.doesNotMatch(shown, /poison(?!ed)|Pat|192\.0\.2/)
        assert.match(shown, backend.refusedPoison)
      }
      assert.equal((await storedIds(database)).length, 1_023)
      // The whole batch, then two halves of each half that fails.
      assert.ok(batches.length <= 21)
    })

    testStore('rows are append-only: of a lead, only the personal part can be erased', async ({ database, fill }) => {
      const [lead] = await fill(makeLead())
      const erased = 'personal = NULL, phone = NULL, email = NULL'
      const [time, uuid] = ['2026-11-22T00:00:00Z', '0199e2f2-7c1e-4b6a-9d7e-3c1f0e6f5a11']
      await database.exec(`
        INSERT INTO changes VALUES (9, '${uuid}', '${uuid}', 'quote', 'erased', '${time}', 'request', NULL, NULL);
        INSERT INTO wordings VALUES ('00', 'words', '', '${time}');
        INSERT INTO opt_outs (id, contact, recorded_at, name, channels, said_at, how, caller)
          VALUES ('${uuid}', '00', '${time}', NULL, '', '${time}', '', NULL)`)
      for (const [table, ...assignments] of [
        ['leads', `evidence = '{}'`, `personal = '{}'`, `${erased}, evidence = '{}'`],
        ['leads', 'personal = NULL', 'phone = NULL, email = NULL', `phone = 'x', email = 'x'`],
        ['leads', `${erased}, kind = 'support'`, `${erased}, position = position + 1`],
        ['leads', `${erased}, received_at = '2020-01-01T00:00:00.000Z'`],
        ['changes', `reason = 'x'`],
        ['wordings', `text = 'x'`],
        ['opt_outs', `how = 'x'`],
      ] as const) {
        for (const statement of [`DELETE FROM ${table}`, ...assignments.map((to) => `UPDATE ${table} SET ${to}`)])
          await assert.rejects(database.exec(statement), new RegExp(`${table} is append-only`), statement)
      }
      await database.exec(`UPDATE leads SET ${erased}`)
      const [after] = await database.all('SELECT id, personal, phone, email FROM leads')
      assert.deepEqual({ ...after }, { id: lead.id, personal: null, phone: null, email: null })
      await assert.rejects(database.exec(`UPDATE leads SET personal = '{}'`), /leads is append-only/)
    })

    testStore('prunes expired claims only', async ({ store, another, database, fill }) => {
      const other = await another()
      const young = makeLead({ words: 'young', atMs: later(1) })
      await fill(...Array.from({ length: 1_100 }, () => makeLead()), young)
      const nowIso = new Date(later(24)).toISOString()
      const pruned = await Promise.all([store.prune(nowIso), other.prune(nowIso)])
      assert.equal(pruned[0] + pruned[1], 1_100)
      assert.deepEqual(await firstColumn(database, 'SELECT lead_id FROM claims'), [young.id])
      assert.equal((await storedIds(database)).length, 1_101)
    })

    testStore('closing stores what is queued, in order, and accepts nothing more', async ({ store, database }) => {
      const leads = Array.from({ length: 1_100 }, () => makeLead())
      const outcomes = Promise.all(leads.map((lead) => store.add(lead)))
      await store.close()
      assert.ok((await outcomes).every(({ kind }) => kind === 'created'))
      assert.deepEqual(await storedIds(database), ids(leads))
      await assert.rejects(store.add(makeLead()), { name: 'LeadError', code: 'service_unavailable' })
      assert.equal(await store.prune(new Date(later(24)).toISOString()), 0)
      await store.close()
    })

    test('concurrent starts migrate the schema once, and a newer one is served unchanged, or named if it cannot be', async () => {
      const url = await backend.newUrl()
      await Promise.all([migrate(url), migrate(url), migrate(url)])
      const database = await backend.openDatabase(url)
      const applied = () => firstColumn(database, 'SELECT version FROM schema_migrations')
      const versions = postgresMigrations.map((_, index) => index + 1)
      assert.deepEqual(await applied(), versions)
      await database.exec(`INSERT INTO schema_migrations (version, name) VALUES (999, 'newer')`)
      await database.exec(`ALTER TABLE leads ADD COLUMN newer text`)
      const store = await openStore({ url })
      assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
      assert.deepEqual(await applied(), [...versions, 999])
      await store.close()
      await database.exec('ALTER TABLE claims RENAME TO c2')
      const isNamed = /^StoreError: a newer release has changed it to schema 999 \(.*(no such table|does not exist)/
      await assert.rejects(openStore({ url }), isNamed)
      await database.close()
    })
  })
}
