import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSealer, createSealKeys, type Segment } from '../../src/evidence/seal.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { backends } from './backends.ts'
import { makeLead, noon } from './leads.ts'

const [key] = createSealKeys(['a key outside the database'])
const byRequest = { at: '2026-11-22T08:00:00.000Z', reason: 'request', caller: 'crm.internal' } as const

for (const backend of backends) {
  suite(`sealing with ${backend.name}`, { skip: backend.skip }, () => {
    async function setUp(replicas = 1) {
      const url = await backend.newUrl()
      const stores = await Promise.all(Array.from({ length: replicas }, () => openStore({ url })))
      let nowMs = noon
      const sealed: Segment[] = []
      const sealers = stores.map((store) =>
        createSealer({ store: store.evidence, key, now: () => nowMs, onSealed: (segment) => sealed.push(segment) }),
      )
      return {
        store: stores[0] as Store,
        sealers,
        sealer: sealers[0] as (typeof sealers)[number],
        sealed,
        passSeconds(seconds: number) {
          nowMs += seconds * 1_000
        },
        [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((store) => store.close()))),
      }
    }

    test('seals everything so far, including erasures, and continues after it', async () => {
      await using fixture = await setUp()
      const { store, sealer, sealed } = fixture
      assert.equal(await sealer.seal({ force: true }), 0)
      const lead = makeLead()
      await store.add(lead)
      await store.inbox.erase(lead.id, byRequest)
      assert.equal(await sealer.seal({ force: true }), 1)
      await store.add(makeLead())
      assert.equal(await sealer.seal({ force: true }), 1)
      const ranges = sealed.map(({ segment, first, last, entries }) => [segment, first, last, entries])
      assert.deepEqual(ranges, [
        [1, 1, 2, 2],
        [2, 3, 3, 1],
      ])
      assert.deepEqual(await store.evidence.segments(0, 10), sealed)
    })

    test('leaves 15 seconds between segments, whichever replica sealed the last one', async () => {
      await using fixture = await setUp(2)
      const { store, sealers, passSeconds } = fixture
      const [one, other] = sealers
      await store.add(makeLead())
      assert.equal(await one?.seal({ force: false }), 1)
      await store.add(makeLead())
      assert.equal(await other?.seal({ force: false }), 0)
      passSeconds(14)
      assert.equal(other?.unsealedSeconds, 14)
      assert.equal(await other?.seal({ force: false }), 0)
      passSeconds(1)
      assert.equal(await other?.seal({ force: false }), 1)
      assert.equal(other?.unsealedSeconds, 0)
    })

    test('creates one chain with concurrent sealers', { timeout: 60_000 }, async () => {
      await using fixture = await setUp(3)
      const { store, sealers, sealed } = fixture
      for (let round = 0; round < 5; round++) {
        await Promise.all(Array.from({ length: 20 }, () => store.add(makeLead())))
        await Promise.all(sealers.map((sealer) => sealer.seal({ force: true })))
      }
      await sealers[0]?.seal({ force: true })
      const segments = await store.evidence.segments(0, 100)
      assert.deepEqual(
        sealed.toSorted((a, b) => a.segment - b.segment),
        segments,
      )
      let last = 0
      for (const { first, last: end, entries } of segments) {
        assert.deepEqual([first, entries], [last + 1, end - last])
        last = end
      }
      assert.equal(last, 100)
    })
  })
}
