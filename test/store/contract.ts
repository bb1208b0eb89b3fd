// What every store keeps to, whichever database is below it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { LeadError } from '../../src/lead/error.ts'
import type { NewLead } from '../../src/lead/submission.ts'
import { type BatchStats, migrate, openStore, type Store } from '../../src/store/open.ts'
import type { OpenDatabase, StoreBackend } from './database.ts'
import { makeLead, noon, receiptOf } from './leads.ts'

const hourMs = 3_600_000
const later = (hours: number) => noon + hours * hourMs

interface Fixture {
  url: string
  store: Store
  batches: BatchStats[]
  database: OpenDatabase
  /** Another instance on the same database, as another replica or process has. */
  another(): Promise<Store>
}

async function storedIds(database: OpenDatabase): Promise<string[]> {
  const rows = await database.all('SELECT id FROM leads ORDER BY position')
  return rows.map(({ id }) => String(id))
}

/** Runs the suite of the store contract on a backend. */
export function testStoreContract(backend: StoreBackend) {
  const options = { skip: backend.skip }

  function storeTest(title: string, body: (fixture: Fixture) => Promise<void>) {
    test(title, options, async () => {
      const url = await backend.newUrl()
      const batches: BatchStats[] = []
      const stores: Store[] = []
      const open = async (onBatch?: (stats: BatchStats) => void) => {
        const store = await openStore({ url, onBatch })
        stores.push(store)
        return store
      }
      const store = await open((stats) => batches.push(stats))
      const database = await backend.openDatabase(url)
      try {
        await body({ url, store, batches, database, another: open })
      } finally {
        await database.close()
        await Promise.all(stores.map((opened) => opened.close()))
      }
    })
  }

  describe(`the ${backend.name} store`, () => {
    storeTest('stores the lead, its consent record and its claims together', async ({ store, database }) => {
      const lead = makeLead({ key: 'k' })
      assert.deepEqual(await store.submit(lead), { kind: 'created' })
      const [stored] = await database.all('SELECT * FROM leads')
      assert.equal(stored?.id, lead.id)
      assert.equal(stored?.form_type, 'quote')
      assert.equal(database.iso(stored?.received_at), lead.receivedAt)
      assert.equal(stored?.content, lead.content)
      const [consent] = await database.all('SELECT * FROM consent_records')
      assert.deepEqual(
        {
          ...consent,
          communications_consent: Boolean(consent?.communications_consent),
          received_at: database.iso(consent?.received_at),
        },
        {
          lead_id: lead.id,
          communications_consent: true,
          consent_timestamp: lead.consent.consentTimestamp,
          received_at: lead.receivedAt,
          client_address: lead.consent.clientAddress,
          user_agent: lead.consent.userAgent,
          page_url: lead.consent.pageUrl,
          path: lead.consent.path,
          purpose: lead.consent.purpose,
          terms_version: lead.consent.termsVersion,
          wording_sha256: lead.consent.wordingSha256,
          content_sha256: lead.consent.contentSha256,
          request_id: lead.consent.requestId,
          seal: lead.seal,
        },
      )
      const [recent] = await database.all('SELECT * FROM recent_submissions')
      assert.equal(recent?.lead_id, lead.id)
      assert.equal(recent?.key_hash, lead.keyHash)
      assert.equal(database.iso(recent?.expires_at), lead.contentUntil)
    })

    storeTest('keeps what is absent absent', async ({ store, database }) => {
      const lead = makeLead({ contentHours: 0 })
      const none = { communicationsConsent: null, consentTimestamp: null, pageUrl: null }
      const from = { clientAddress: null, userAgent: null }
      await store.submit({ ...lead, kind: 'support', consent: { ...lead.consent, ...none, ...from } })
      const [consent] = await database.all('SELECT * FROM consent_records')
      for (const column of [
        'communications_consent',
        'consent_timestamp',
        'client_address',
        'user_agent',
        'page_url',
      ]) {
        assert.equal(consent?.[column], null, column)
      }
      const [recent] = await database.all('SELECT * FROM recent_submissions')
      assert.equal(recent?.key_hash, null)
      // A retry after a lost answer must find the row for a while, whatever the windows are.
      assert.equal(database.iso(recent?.expires_at), new Date(later(1)).toISOString())
    })

    storeTest('keeps any text as it is', async ({ store, database }) => {
      const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(texts, async (given) => {
          const leads = given.map((text): NewLead => {
            const content = JSON.stringify({ notes: text.toWellFormed() })
            // A header's value may hold any of these characters.
            const userAgent = `"\\{},'${text.toWellFormed().replaceAll('\0', '')}`
            const lead = makeLead()
            return { ...lead, content, consent: { ...lead.consent, userAgent } }
          })
          await Promise.all(leads.map(store.submit))
          const rows = await database.all(
            `SELECT id, content, user_agent FROM leads JOIN consent_records ON lead_id = id
             ORDER BY position DESC LIMIT ${leads.length}`,
          )
          const stored = new Map(rows.map((row) => [row.id, row]))
          for (const { id, content, consent } of leads) {
            assert.deepEqual({ ...stored.get(id) }, { id, content, user_agent: consent.userAgent })
          }
        }),
        { numRuns: 25 },
      )
    })

    storeTest('same key and content: the first receipt again', async ({ store, database }) => {
      const first = makeLead({ words: 'same', key: 'k' })
      await store.submit(first)
      const copy = makeLead({ words: 'same', key: 'k', atMs: later(1) })
      assert.deepEqual(await store.submit(copy), { kind: 'replayed', receipt: receiptOf(first) })
      assert.deepEqual(await storedIds(database), [first.id])
    })

    storeTest('same key, other content: the key is refused', async ({ store, database }) => {
      const first = makeLead({ key: 'k' })
      await store.submit(first)
      assert.deepEqual(await store.submit(makeLead({ key: 'k' })), { kind: 'key_reused' })
      assert.deepEqual(await storedIds(database), [first.id])
    })

    storeTest('same content without a key, or with another: a duplicate of the first', async ({ store, database }) => {
      const first = makeLead({ words: 'same', key: 'k' })
      await store.submit(first)
      const duplicate = { kind: 'duplicate', receipt: receiptOf(first) }
      assert.deepEqual(await store.submit(makeLead({ words: 'same' })), duplicate)
      assert.deepEqual(await store.submit(makeLead({ words: 'same', key: 'other' })), duplicate)
      assert.deepEqual(await storedIds(database), [first.id])
    })

    storeTest('copies are told apart within one batch as well', async ({ store, batches }) => {
      const leads = [
        makeLead({ words: 'same', key: 'k' }),
        makeLead({ words: 'same', key: 'k' }),
        makeLead({ words: 'other', key: 'k' }),
        makeLead({ words: 'same' }),
        makeLead(),
      ]
      const outcomes = await Promise.all(leads.map(store.submit))
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ['created', 'replayed', 'key_reused', 'duplicate', 'created'],
      )
      assert.equal(batches.length, 1)
    })

    storeTest('after the windows the same key and the same content make a new lead', async ({ store, database }) => {
      const first = makeLead({ words: 'same', key: 'k' })
      const second = makeLead({ words: 'same', key: 'k', atMs: later(24) })
      const third = makeLead({ words: 'same', key: 'k', atMs: later(25) })
      assert.deepEqual(await store.submit(first), { kind: 'created' })
      assert.deepEqual(await store.submit(second), { kind: 'created' })
      assert.deepEqual(await store.submit(third), { kind: 'replayed', receipt: receiptOf(second) })
      assert.deepEqual(await storedIds(database), [first.id, second.id])
    })

    storeTest('a millisecond before its end a window still holds', async ({ store }) => {
      const first = makeLead({ words: 'same', key: 'k' })
      await store.submit(first)
      const atMs = later(24) - 1
      assert.equal((await store.submit(makeLead({ words: 'same', key: 'k', atMs }))).kind, 'replayed')
      assert.equal((await store.submit(makeLead({ words: 'same', atMs }))).kind, 'duplicate')
      assert.equal((await store.submit(makeLead({ words: 'other', key: 'k', atMs }))).kind, 'key_reused')
    })

    storeTest('the two windows of a lead end each at its own time', async ({ store }) => {
      const keyOutlives = makeLead({ words: 'short', key: 'k1', contentHours: 1 })
      const contentOutlives = makeLead({ words: 'long', key: 'k2', contentHours: 48 })
      await store.submit(keyOutlives)
      await store.submit(contentOutlives)
      const replayed = { kind: 'replayed', receipt: receiptOf(keyOutlives) }
      assert.deepEqual(await store.submit(makeLead({ words: 'short', key: 'k1', atMs: later(2) })), replayed)
      assert.deepEqual(await store.submit(makeLead({ words: 'short', atMs: later(2) })), { kind: 'created' })
      // The key is still that of the first lead, though its content is now another's.
      assert.deepEqual(await store.submit(makeLead({ words: 'short', key: 'k1', atMs: later(3) })), replayed)
      const duplicate = { kind: 'duplicate', receipt: receiptOf(contentOutlives) }
      assert.deepEqual(await store.submit(makeLead({ words: 'long', key: 'k2', atMs: later(30) })), duplicate)
      assert.deepEqual(await store.submit(makeLead({ words: 'new', key: 'k2', atMs: later(30) })), { kind: 'created' })
    })

    storeTest('without a duplicate window the same content is always a new lead', async ({ store, database }) => {
      const leads = [1, 2, 3].map(() => makeLead({ words: 'same', contentHours: 0 }))
      for (const lead of leads) assert.deepEqual(await store.submit(lead), { kind: 'created' })
      assert.equal((await storedIds(database)).length, 3)
    })

    storeTest('the same lead again, as after a lost answer, is created once', async ({ store, database }) => {
      const lead = makeLead({ key: 'k' })
      assert.deepEqual(await store.submit(lead), { kind: 'created' })
      assert.deepEqual(await store.submit(lead), { kind: 'created' })
      assert.deepEqual(await Promise.all([store.submit(lead), store.submit(makeLead())]), [
        { kind: 'created' },
        { kind: 'created' },
      ])
      assert.equal((await storedIds(database)).filter((id) => id === lead.id).length, 1)
    })

    for (const [how, key, kind] of [
      ['without a key', undefined, 'duplicate'],
      ['with a key', 'k', 'replayed'],
    ] as const) {
      storeTest(`50 racing copies ${how} make one lead, on two instances too`, async ({ store, another, database }) => {
        const other = await another()
        const copies = Array.from({ length: 50 }, () => makeLead({ words: 'same', key }))
        const outcomes = await Promise.all(copies.map((lead, index) => (index % 2 ? store : other).submit(lead)))
        const created = copies.filter((_, index) => outcomes[index]?.kind === 'created')
        assert.equal(created.length, 1)
        const [first] = created as [NewLead]
        for (const outcome of outcomes) {
          if (outcome.kind !== 'created') assert.deepEqual(outcome, { kind, receipt: receiptOf(first) })
        }
        assert.deepEqual(await storedIds(database), [first.id])
      })
    }

    storeTest('racing for claims that have ended, one wins', async ({ store, another, database }) => {
      const other = await another()
      await store.submit(makeLead({ words: 'same', key: 'k' }))
      const copies = Array.from({ length: 20 }, () => makeLead({ words: 'same', key: 'k', atMs: later(24) }))
      const outcomes = await Promise.all(copies.map((lead, index) => (index % 2 ? store : other).submit(lead)))
      assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 1)
      assert.equal(outcomes.filter(({ kind }) => kind === 'replayed').length, 19)
      assert.equal((await storedIds(database)).length, 2)
    })

    storeTest('leads that come together share commits, in their order', async ({ store, batches, database }) => {
      const leads = Array.from({ length: 300 }, () => makeLead())
      await Promise.all(leads.map(store.submit))
      assert.deepEqual(
        batches.map(({ size, outcome }) => [size, outcome]),
        [
          [128, 'committed'],
          [128, 'committed'],
          [44, 'committed'],
        ],
      )
      for (const { seconds } of batches) assert.ok(seconds > 0 && seconds < 5)
      assert.deepEqual(
        await storedIds(database),
        leads.map(({ id }) => id),
      )
    })

    storeTest('a lead that the database refuses fails alone, and its error says nothing of it', async (fixture) => {
      const { store, database } = fixture
      await database.exec(backend.refusePoison)
      const leads = Array.from({ length: 20 }, (_, index) => makeLead(index === 7 ? { words: 'poison' } : {}))
      const settled = await Promise.allSettled(leads.map(store.submit))
      for (const [index, result] of settled.entries()) {
        assert.equal(result.status, index === 7 ? 'rejected' : 'fulfilled')
        if (result.status === 'rejected') {
          assert.ok(!(result.reason instanceof LeadError))
          const shown = JSON.stringify(result.reason) + String(result.reason) + result.reason.stack
          assert.doesNotMatch(shown, /poison(?!ed)|Pat|192\.0\.2/)
          assert.match(shown, backend.refusedPoison)
        }
      }
      assert.equal((await storedIds(database)).length, 19)
      assert.deepEqual(await store.check(), { ok: true })
    })

    storeTest('a consent record can be neither changed nor removed, only its personal part erased', async (fixture) => {
      const { store, database } = fixture
      const lead = makeLead()
      await store.submit(lead)
      for (const statement of [
        `UPDATE consent_records SET communications_consent = NULL`,
        `UPDATE consent_records SET path = 'rpc'`,
        `UPDATE consent_records SET client_address = '192.0.2.1'`,
        `UPDATE consent_records SET client_address = NULL`,
        `UPDATE consent_records SET client_address = NULL, user_agent = NULL, page_url = NULL, seal = NULL`,
        `UPDATE consent_records SET client_address = NULL, user_agent = NULL, page_url = NULL, path = 'rpc'`,
        `DELETE FROM consent_records`,
        ...backend.otherRemovals,
      ]) {
        await assert.rejects(database.exec(statement), /consent_records is append-only/, statement)
      }
      const [before] = await database.all('SELECT * FROM consent_records')
      await database.exec(`UPDATE consent_records SET client_address = NULL, user_agent = NULL, page_url = NULL`)
      const [after] = await database.all('SELECT * FROM consent_records')
      assert.deepEqual({ ...after }, { ...before, client_address: null, user_agent: null, page_url: null })
    })

    storeTest('a lead has content, or is erased with a time', async ({ store, database }) => {
      await store.submit(makeLead())
      await assert.rejects(database.exec('UPDATE leads SET content = NULL'))
      await database.exec(`UPDATE leads SET content = NULL, erased_at = '2026-11-22T00:00:00.000Z'`)
    })

    storeTest('what has expired is pruned, and nothing else', async ({ store, another, database }) => {
      const other = await another()
      const old = Array.from({ length: 1_100 }, () => makeLead())
      await Promise.all(old.map(store.submit))
      const young = makeLead({ words: 'young', atMs: later(1) })
      await store.submit(young)
      const nowIso = new Date(later(24)).toISOString()
      const pruned = await Promise.all([store.prune(nowIso), other.prune(nowIso)])
      assert.equal(pruned[0] + pruned[1], 1_100)
      assert.equal(await store.prune(nowIso), 0)
      const left = await database.all('SELECT lead_id FROM recent_submissions')
      assert.deepEqual(
        left.map(({ lead_id }) => lead_id),
        [young.id],
      )
      assert.equal((await storedIds(database)).length, 1_101)
      const copy = makeLead({ words: 'young', atMs: later(2) })
      assert.deepEqual(await store.submit(copy), { kind: 'duplicate', receipt: receiptOf(young) })
    })

    storeTest('closing stores what is queued and takes nothing more', async ({ store, database }) => {
      const leads = Array.from({ length: 200 }, () => makeLead())
      const outcomes = Promise.all(leads.map(store.submit))
      await store.close()
      assert.ok((await outcomes).every(({ kind }) => kind === 'created'))
      assert.equal((await storedIds(database)).length, 200)
      await assert.rejects(
        store.submit(makeLead()),
        (error) => error instanceof LeadError && error.code === 'service_unavailable',
      )
      assert.deepEqual(await store.check(), { ok: false, reason: 'closed' })
      assert.equal(await store.prune(new Date(later(24)).toISOString()), 0)
      await store.close()
    })

    storeTest('is healthy when it works', async ({ store }) => {
      assert.deepEqual(await store.check(), { ok: true })
    })

    test('many that start at once bring the schema up to date once', options, async () => {
      const url = await backend.newUrl()
      await Promise.all([migrate(url), migrate(url), migrate(url)])
      await migrate(url)
      const database = await backend.openDatabase(url)
      const applied = await database.all('SELECT version FROM schema_migrations ORDER BY version')
      assert.deepEqual(
        applied.map(({ version }) => version),
        backend.versions,
      )
      await database.close()
    })

    storeTest('a schema that is newer by a version is left alone and served', async ({ url, another, database }) => {
      await database.exec(`INSERT INTO schema_migrations (version, name) VALUES (999, 'newer')`)
      await database.exec(`ALTER TABLE leads ADD COLUMN newer text`)
      await migrate(url)
      const store = await another()
      assert.deepEqual(await store.submit(makeLead()), { kind: 'created' })
    })
  })
}
