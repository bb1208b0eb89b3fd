import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { suite, test } from 'node:test'
import type { StoredLead } from '../../src/lead/stored-lead.ts'
import type { NewLead } from '../../src/lead/submission.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import type { OpenDatabase } from './database.ts'
import { makeLead, noon } from './leads.ts'
import { postgresBackend } from './postgres/backend.ts'
import { sqliteBackend } from './sqlite/backend.ts'

const dayMs = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()
const byRequest = { at: '2026-11-22T08:00:00.000Z', reason: 'request' } as const

interface Fixture {
  store: Store
  database: OpenDatabase
  /** Another instance on the same database, as another replica or process has. */
  another(): Promise<Store>
  fill(leads: NewLead[]): Promise<NewLead[]>
}

/** The lead as the inbox shows it, by what was stored. */
function shown({ id, kind, receivedAt, content, consent, seal }: NewLead, position: number): StoredLead {
  return { position, id, kind, receivedAt, content, erasure: null, consent: { ...consent, receivedAt, seal } }
}

const ids = (leads: { id: string }[]) => leads.map(({ id }) => id)
const many = (count: number) => Array.from({ length: count }, () => makeLead())

for (const backend of [sqliteBackend, postgresBackend]) {
  const inboxTest = (title: string, body: (fixture: Fixture) => Promise<void>) =>
    test(title, async () => {
      const url = await backend.newUrl()
      const stores: Store[] = []
      const another = async () => {
        const store = await openStore({ url })
        stores.push(store)
        return store
      }
      const store = await another()
      const database = await backend.openDatabase(url)
      const fill = async (leads: NewLead[]) => {
        await Promise.all(leads.map(store.submit))
        return leads
      }
      try {
        await body({ store, database, another, fill })
      } finally {
        await database.close()
        await Promise.all(stores.map((opened) => opened.close()))
      }
    })

  suite(`the inbox of ${backend.name}`, { skip: backend.skip }, () => {
    inboxTest('gives leads with their consent records as they were stored', async ({ store, fill }) => {
      const plain = makeLead()
      const nothing = { communicationsConsent: null, consentTimestamp: null, pageUrl: null }
      const origin = { clientAddress: null, userAgent: null }
      const bare = makeLead({ atMs: noon + 7 })
      const leads = await fill([
        plain,
        { ...bare, kind: 'support', seal: null, consent: { ...bare.consent, ...nothing, ...origin, path: 'rpc' } },
        { ...makeLead(), content: JSON.stringify({ notes: '"\\ \u2028 é 🧽 \'' }) },
      ])
      const expected = leads.map((lead, index) => shown(lead, index + 1))
      const { inbox } = store
      assert.deepEqual(await inbox.readAfter(0, 10), expected)
      for (const lead of expected) {
        assert.deepEqual(await inbox.find(lead.id), lead)
        assert.equal(await inbox.idAt(lead.position), lead.id)
      }
      assert.equal(await inbox.find(randomUUIDv7()), undefined)
      assert.equal(await inbox.idAt(4), undefined)
      assert.equal(await inbox.idAt(0), undefined)
    })

    inboxTest('reads on after a position, at most as many as asked for', async ({ store: { inbox }, fill }) => {
      const leads = await fill(many(10))
      assert.deepEqual(ids(await inbox.readAfter(0, 3)), ids(leads.slice(0, 3)))
      assert.deepEqual(ids(await inbox.readAfter(3, 100)), ids(leads.slice(3)))
      assert.deepEqual(await inbox.readAfter(10, 100), [])
    })

    inboxTest('reads by kind and time, in the order of the commits', async ({ store: { inbox }, fill }) => {
      const leads = await fill([
        makeLead({ atMs: noon + 2 }),
        { ...makeLead({ atMs: noon + 3 }), kind: 'support' },
        // The clocks of two replicas differ: received before, committed after.
        makeLead({ atMs: noon }),
        makeLead({ atMs: noon + 1 }),
      ])
      const read = async (filter: Parameters<typeof inbox.readAfter>[2], after = 0, limit = 9) =>
        (await inbox.readAfter(after, limit, filter)).map(({ position }) => position)
      assert.equal(leads.length, 4)
      assert.deepEqual(await read({}), [1, 2, 3, 4])
      assert.deepEqual(await read({ kind: 'quote' }), [1, 3, 4])
      assert.deepEqual(await read({ kind: 'support' }), [2])
      assert.deepEqual(await read({ receivedAfter: iso(noon + 1) }), [1, 2, 4])
      assert.deepEqual(await read({ receivedBefore: iso(noon + 2) }), [3, 4])
      assert.deepEqual(await read({ receivedAfter: iso(noon + 1), receivedBefore: iso(noon + 3) }), [1, 4])
      assert.deepEqual(await read({ kind: 'quote', receivedBefore: iso(noon + 2) }, 0, 1), [3])
      assert.deepEqual(await read({ kind: 'quote', receivedBefore: iso(noon + 2) }, 3, 1), [4])
      assert.deepEqual(await read({ receivedAfter: '9999-12-31T23:59:59.999Z' }), [])
      assert.deepEqual(await read({ receivedAfter: '0001-01-01T00:00:00.000Z' }), [1, 2, 3, 4])
    })

    inboxTest('shows a lead whose consent record someone has removed, and shows that', async (fixture) => {
      const { store, database, fill } = fixture
      const [lead] = (await fill([makeLead()])) as [NewLead]
      await database.exec(backend.removeConsentRecords)
      assert.deepEqual(await store.inbox.readAfter(0, 1), [{ ...shown(lead, 1), consent: null }])
    })

    inboxTest('calls soon after leads were stored, until told to stop', async ({ store, fill }) => {
      let calls = 0
      let called = Promise.withResolvers<void>()
      const end = store.inbox.onStored(() => {
        calls++
        called.resolve()
      })
      // PostgreSQL listens from its first read on.
      await store.inbox.readAfter(0, 1)
      for (let round = 1; round <= 3; round++) {
        await fill([makeLead()])
        await called.promise
        called = Promise.withResolvers()
      }
      end()
      await fill([makeLead()])
      assert.equal(calls, 3)
    })

    inboxTest('erases what is personal, and nothing else', async ({ store, database, fill }) => {
      const [lead, other] = (await fill([makeLead({ key: 'k', words: 'same' }), makeLead()])) as [NewLead, NewLead]
      assert.equal(await store.inbox.erase(lead.id, byRequest), byRequest.at)
      const [erased, kept] = await store.inbox.readAfter(0, 9)
      const before = shown(lead, 1)
      assert.deepEqual(erased, {
        ...before,
        content: null,
        erasure: byRequest,
        consent: { ...before.consent, clientAddress: null, userAgent: null, pageUrl: null },
      })
      assert.deepEqual(kept, shown(other, 2))
      const claims = await database.all('SELECT lead_id FROM recent_submissions')
      assert.deepEqual(
        claims.map(({ lead_id }) => lead_id),
        [other.id],
      )
      // Nothing is matched with it again: neither its key nor its content.
      assert.deepEqual(await store.submit(makeLead({ key: 'k', words: 'same' })), { kind: 'created' })
    })

    inboxTest('erases once, and remembers when and why', async ({ store, fill }) => {
      const [lead] = (await fill([makeLead()])) as [NewLead]
      await store.inbox.erase(lead.id, byRequest)
      const again = { at: '2026-12-24T00:00:00.000Z', reason: 'retention' } as const
      assert.equal(await store.inbox.erase(lead.id, again), byRequest.at)
      assert.deepEqual((await store.inbox.find(lead.id))?.erasure, byRequest)
      assert.equal(await store.inbox.erase(randomUUIDv7(), byRequest), undefined)
    })

    inboxTest('of many who erase a lead at once, one does it and all hear when', async (fixture) => {
      const { store, another, fill } = fixture
      const other = await another()
      const [lead] = (await fill([makeLead()])) as [NewLead]
      const times = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? store : other).inbox.erase(lead.id, { ...byRequest, at: iso(noon + index) }),
        ),
      )
      assert.equal(new Set(times).size, 1)
      assert.equal((await store.inbox.find(lead.id))?.erasure?.at, times[0])
    })

    inboxTest('erases what was received before a time, the oldest first, in batches', async (fixture) => {
      const { store, database, fill } = fixture
      const byAge = { at: iso(noon), reason: 'retention' } as const
      const old = await fill(Array.from({ length: 25 }, (_, index) => makeLead({ atMs: noon - 40 * dayMs + index })))
      const [young] = (await fill([makeLead({ atMs: noon - 30 * dayMs })])) as [NewLead]
      await store.inbox.erase(String(old[0]?.id), byRequest)
      const erase = () => store.inbox.eraseReceivedBefore(iso(noon - 30 * dayMs), byAge, 10)
      assert.equal(await erase(), 10)
      const erased = (await store.inbox.readAfter(0, 99)).filter(({ erasure }) => erasure !== null)
      assert.deepEqual(ids(erased), ids(old.slice(0, 11)))
      assert.equal(await erase(), 10)
      assert.equal(await erase(), 4)
      assert.equal(await erase(), 0)
      const leads = await store.inbox.readAfter(0, 99)
      assert.deepEqual(
        leads.map(({ erasure }) => erasure),
        [byRequest, ...old.slice(1).map(() => byAge), null],
      )
      assert.ok(leads.every(({ consent, erasure }) => (consent?.clientAddress === null) === (erasure !== null)))
      const claims = await database.all('SELECT lead_id FROM recent_submissions')
      assert.deepEqual(
        claims.map(({ lead_id }) => lead_id),
        [young.id],
      )
    })

    inboxTest('two replicas that erase by age at once erase each lead once', async ({ store, another, fill }) => {
      const other = await another()
      await fill(many(400))
      const byAge = { at: iso(noon + dayMs), reason: 'retention' } as const
      let erased = 0
      const run = async ({ inbox }: Store) => {
        for (;;) {
          const count = await inbox.eraseReceivedBefore(iso(noon + dayMs), byAge, 20)
          if (count === 0) return
          erased += count ?? 0
        }
      }
      await Promise.all([run(store), run(other)])
      assert.equal(erased, 400)
    })
  })
}
