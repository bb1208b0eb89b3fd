import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { LeadFilter } from '../../src/inbox/stored-lead.ts'
import { backends, firstColumn, storeTest } from './backends.ts'
import { byRequest, contact, iso, makeLead, noon, optOut, storedLead } from './leads.ts'

for (const backend of backends) {
  const testStore = storeTest(backend)

  suite(`the inbox of ${backend.name}`, { skip: backend.skip }, () => {
    testStore('filters by kind and time, in commit order', async ({ store: { inbox }, fill }) => {
      await fill(
        makeLead({ atMs: noon + 2 }),
        makeLead({ atMs: noon + 3, kind: 'support' }),
        // The clocks of two replicas differ: received earlier, committed later.
        makeLead({ atMs: noon }),
        makeLead({ atMs: noon + 1 }),
      )
      const read = async (filter: LeadFilter, after = 0, limit = 9) =>
        (await inbox.readLeads(after, limit, filter)).map(({ position }) => position)
      assert.deepEqual(await read({}), [1, 2, 3, 4])
      assert.deepEqual(await read({ kind: 'support' }), [2])
      assert.deepEqual(await read({ receivedAfter: iso(noon + 1) }), [1, 2, 4])
      assert.deepEqual(await read({ receivedBefore: iso(noon + 2) }), [3, 4])
      assert.deepEqual(await read({ receivedAfter: iso(noon + 1), receivedBefore: iso(noon + 3) }), [1, 4])
      assert.deepEqual(await read({ kind: 'quote', receivedBefore: iso(noon + 2) }, 3, 1), [4])
      assert.deepEqual(await read({ receivedAfter: '9999-12-31T23:59:59.999Z' }), [])
      assert.deepEqual(await read({ receivedAfter: '0001-01-01T00:00:00.000Z' }), [1, 2, 3, 4])
    })

    testStore('returns leads and changes in one order, each lead in its current state', async (fixture) => {
      const { fill } = fixture
      const { inbox } = fixture.store
      const everything = { rows: 100, bytes: 1_000_000 }
      assert.deepEqual(await inbox.readFeed(0, everything), { entries: [], examined: 0, hasMore: false })
      const person = { content: { phone: contact.value } }
      const [one, two] = await fill(makeLead(person), makeLead({ ...person, kind: 'support' }))
      assert.deepEqual(await inbox.erase([one.id], byRequest), [one.id])
      await fill(makeLead())
      // Erasing again adds no entry.
      assert.deepEqual(await inbox.erase([one.id], byRequest), [])
      await inbox.recordOptOut(optOut)
      // Nor does an opt-out that is recorded again.
      await inbox.recordOptOut({ ...optOut, recordedAt: iso(noon + 1) })
      const { entries, examined, hasMore } = await inbox.readFeed(0, everything)
      assert.deepEqual([examined, hasMore, await inbox.head()], [5, false, 5])
      const told = entries.map(({ position, what, lead }) => `${position}: ${what} ${lead.position}`)
      assert.deepEqual(told, ['1: received 1', '2: received 2', '3: erased 1', '4: received 4', '5: opted_out 2'])
      const erased = storedLead(one, { personal: null, erasure: byRequest })
      assert.deepEqual([entries[0]?.lead, entries[2]?.lead], [erased, erased])
      const { recordedAt: optedOutAt, channels: optedOutChannels } = optOut
      const optedOut = storedLead(two, { position: 2, optedOutAt, optedOutChannels })
      assert.deepEqual([entries[1]?.lead, entries[4]?.lead], [optedOut, optedOut])
      const times = [entries[0]?.at, entries[2]?.at, entries[4]?.at]
      assert.deepEqual(times, [one.receivedAt, byRequest.at, optedOutAt])
      // Each entry has its own id: a lead's or a change's.
      const own = entries.map(({ id }) => id)
      assert.deepEqual(await Promise.all([1, 2, 3, 4, 5, 6].map(inbox.idAt)), [...own, undefined])
      assert.deepEqual([new Set(own).size, own[0], own[1]], [5, one.id, two.id])
      const support = await inbox.readFeed(0, everything, 'support')
      assert.deepEqual([support.entries.map(({ position }) => position), support.examined], [[2, 5], 5])
      assert.deepEqual(await inbox.readFeed(5, everything), { entries: [], examined: 5, hasMore: false })
    })

    testStore('limits a page of the feed by rows and by bytes', async ({ store: { inbox }, fill }) => {
      const [first] = await fill(...Array.from({ length: 10 }, () => makeLead()))
      const positions = async (after: number, rows: number, bytes: number) => {
        const { entries, examined, hasMore } = await inbox.readFeed(after, { rows, bytes })
        return [entries.map(({ position }) => position), examined, hasMore]
      }
      assert.deepEqual(await positions(0, 3, 1_000_000), [[1, 2, 3], 3, true])
      assert.deepEqual(await positions(3, 3, 1), [[4], 4, true])
      const size = Buffer.byteLength(String(first?.personal)) + Buffer.byteLength(String(first?.evidence))
      assert.deepEqual(await positions(4, 9, 2 * size), [[5, 6], 6, true])
      assert.deepEqual(await positions(4, 9, 2 * size + 1), [[5, 6, 7], 7, true])
      assert.deepEqual(await positions(9, 9, 2 * size), [[10], 10, false])
    })

    testStore('erases the personal data only, once, and remembers when and why', async ({ store, database, fill }) => {
      const { inbox } = store
      const [lead, other] = await fill(makeLead({ key: 'k', words: 'same' }), makeLead())
      assert.deepEqual(await inbox.erase([lead.id], byRequest), [lead.id])
      const again = { at: '2026-12-24T00:00:00.000Z', reason: 'retention', caller: null } as const
      assert.deepEqual(await inbox.erase([lead.id], again), [])
      assert.deepEqual(await inbox.readLeads(0, 9), [
        storedLead(lead, { personal: null, erasure: byRequest }),
        storedLead(other, { position: 2 }),
      ])
      assert.deepEqual(await firstColumn(database, 'SELECT lead_id FROM claims'), [other.id])
      // It matches nothing any more, neither by key nor by content.
      assert.deepEqual(await store.add(makeLead({ key: 'k', words: 'same' })), { kind: 'created' })
      assert.deepEqual(await inbox.erase([makeLead().id], byRequest), [])
      const contacts = 'SELECT concat(phone, email) FROM leads WHERE personal IS NULL'
      assert.deepEqual(await firstColumn(database, contacts), [''])
    })
  })
}
