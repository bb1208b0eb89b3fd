import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRetention } from '../../src/inbox/retention.ts'
import type { LeadEraser } from '../../src/inbox/stored-lead.ts'
import { createMemoryInbox, noon, storedLead } from './memory-inbox.ts'

const dayMs = 86_400_000
const { signal } = new AbortController()

suite('retention', () => {
  test('erases what is too old, to the millisecond, and records when and why', async () => {
    const store = createMemoryInbox()
    const at = (ms: number) => new Date(ms).toISOString()
    store.leads = [
      storedLead(1, { receivedAt: at(noon - 30 * dayMs - 1) }),
      storedLead(2, { receivedAt: at(noon - 30 * dayMs) }),
      storedLead(3, { receivedAt: at(noon) }),
    ]
    assert.equal(await createRetention({ store, now: () => noon, days: 30 })(signal), 1)
    assert.deepEqual(
      store.leads.map(({ erasure }) => erasure),
      [{ at: '2026-11-21T12:00:00.000Z', reason: 'retention', caller: null }, null, null],
    )
    assert.equal(await createRetention({ store, now: () => noon + 1, days: 30 })(signal), 1)
  })

  test('works in small batches until nothing is left, or the service stops', async () => {
    const store = createMemoryInbox()
    store.add(1_000)
    const stopping = new AbortController()
    const sizes: (number | undefined)[] = []
    const eraser: LeadEraser = {
      ...store,
      async eraseReceivedBefore(...args) {
        const ids = await store.eraseReceivedBefore(...args)
        if (sizes.push(ids?.length) === 1) stopping.abort()
        return ids
      },
    }
    const retain = createRetention({ store: eraser, now: () => noon + 2 * dayMs, days: 1 })
    assert.equal(await retain(stopping.signal), 200)
    assert.equal(await retain(signal), 800)
    assert.deepEqual(sizes, [200, 200, 200, 200, 200, 0])
  })
})
