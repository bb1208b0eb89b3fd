import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { createByteBudget } from '../../src/lead/byte-budget.ts'
import type { StoredLead } from '../../src/lead/stored-lead.ts'
import { createTail, type Follower, type Step } from '../../src/lead/tail.ts'
import { isSettled, stopTime } from '../support/stopped-time.ts'
import { createMemoryInbox } from './memory-inbox.ts'

/** Much longer than any test, so that only signals trigger reads. */
const never = 600_000

/** How often the tail reads without a signal. */
const pollMs = 500

/** How long the tail waits after a signal, and more than that. */
const gatherMs = 50

const forever = new AbortController().signal

/** The next entry, without a timeout. */
async function nextEntry(follower: Follower, signal = forever): Promise<Step & { entry: NonNullable<Step['entry']> }> {
  for (;;) {
    const step = await follower.next(never, signal)
    if (step?.entry !== undefined) return { ...step, entry: step.entry }
  }
}

/** Takes the next `count` entries. */
async function take(follower: Follower, count: number): Promise<number[]> {
  const positions: number[] = []
  while (positions.length < count) positions.push((await nextEntry(follower)).position)
  return positions
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

suite('following the feed', () => {
  test('yields existing leads in order, then new ones', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never })
    store.add(600)
    const leads = tail.follow(0)
    assert.deepEqual(await take(leads, 600), upTo(600))
    const next = take(leads, 3)
    await turn()
    store.add(3)
    assert.deepEqual(await next, [601, 602, 603])
    leads.close()
  })

  test('starts after the given position', async () => {
    const store = createMemoryInbox()
    store.add(10)
    const leads = createTail({ reader: store }).follow(7)
    assert.deepEqual(await take(leads, 3), [8, 9, 10])
    leads.close()
  })

  test('finds leads without a signal', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const leads = createTail({ reader: store, pollMs, now }).follow(0)
    const first = take(leads, 1)
    await advance(gatherMs)
    store.add(1, { silent: true })
    await advance(gatherMs)
    assert.equal(await isSettled(first), false)
    await advance(pollMs)
    assert.equal(await isSettled(first), true)
    assert.deepEqual(await first, [1])
    leads.close()
  })

  test('needs only one reader for any number of followers', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never, now })
    const followers = Array.from({ length: 50 }, () => tail.follow(0))
    const firsts = followers.map((leads) => take(leads, 1))
    await advance(gatherMs)
    store.reads = 0
    store.add(1)
    await advance(gatherMs)
    await Promise.all(firsts)
    for (let round = 0; round < 5; round++) {
      const nexts = followers.map((leads) => take(leads, 20))
      store.add(20)
      await advance(gatherMs)
      await Promise.all(nexts)
    }
    assert.equal(store.reads, 6)
    for (const follower of followers) follower.close()
  })

  test('reads nothing while the follower takes nothing', async (t) => {
    const { advance } = stopTime(t)
    const store = createMemoryInbox()
    store.add(2_000)
    // The clock of the pages stands still, so that none is read again because of its age.
    const leads = createTail({ reader: store, pollMs, now: () => 0 }).follow(0)
    await take(leads, 1)
    store.reads = 0
    await advance(2 * pollMs)
    assert.equal(store.reads, 0)
    assert.deepEqual(await take(leads, 1_999), upTo(2_000, 2))
    assert.ok(store.reads <= 9, `${store.reads} reads`)
    leads.close()
  })

  test('a follower that falls behind reads on its own and misses nothing', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never, now })
    const [fast, slow] = [tail.follow(0), tail.follow(0)]
    const firsts = [take(fast, 1), take(slow, 1)]
    await advance(gatherMs)
    store.add(1)
    await advance(gatherMs)
    await Promise.all(firsts)
    // More than is kept for followers that are slightly behind.
    for (let round = 0; round < 10; round++) {
      const taken = take(fast, 300)
      store.add(300)
      await advance(gatherMs)
      await taken
    }
    assert.deepEqual(await take(slow, 3_000), upTo(3_001, 2))
    fast.close()
    slow.close()
  })

  test('rereads a lead held for more than a second, because it may have been erased', async () => {
    let nowMs = 0
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never, now: () => nowMs })
    const [, second] = store.add(2) as [StoredLead, StoredLead]
    const leads = tail.follow(0)
    await take(leads, 1)
    await store.erase(second.id, { at: '2026-11-21T12:00:01.000Z', reason: 'request', caller: null })
    nowMs = 1_001
    const { position, entry } = await nextEntry(leads)
    assert.equal(position, 2)
    assert.equal(entry.lead.personal, null)
    assert.equal(entry.lead.erasure?.at, '2026-11-21T12:00:01.000Z')
    assert.deepEqual(await take(leads, 1), [3])
    leads.close()
  })

  test("ends with the signal's reason, both while waiting and before the next lead", async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never })
    const waiting = new AbortController()
    const waiter = tail.follow(0)
    const waits = nextEntry(waiter, waiting.signal)
    assert.equal(await isSettled(waits), false)
    waiting.abort(new Error('stop waiting'))
    await assert.rejects(waits, { message: 'stop waiting' })
    waiter.close()

    store.add(2)
    const busy = new AbortController()
    const leads = tail.follow(0)
    await leads.next(never, busy.signal)
    busy.abort(new Error('stop now'))
    await assert.rejects(leads.next(never, busy.signal), { message: 'stop now' })
    leads.close()
  })

  test('stops reading and listening when the last follower leaves', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs, now })
    const gone = new AbortController()
    const follower = tail.follow(0)
    const waits = nextEntry(follower, gone.signal)
    await advance(gatherMs)
    assert.equal(store.listeners.size, 1)
    gone.abort(new Error('gone'))
    await assert.rejects(waits)
    follower.close()
    store.reads = 0
    await turn()
    assert.equal(store.listeners.size, 0)
    await advance(2 * pollMs)
    assert.equal(store.reads, 0)
  })

  test('a read error ends the waiting followers, and later ones are served', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs, now })
    const followers = [tail.follow(0), tail.follow(0)]
    const waits = Promise.allSettled(followers.map((follower) => nextEntry(follower)))
    await advance(gatherMs)
    store.failure = new Error('away')
    await advance(pollMs)
    for (const wait of await waits) assert.equal(wait.status === 'rejected' && wait.reason.message, 'away')
    for (const follower of followers) follower.close()
    const late = tail.follow(0)
    await assert.rejects(nextEntry(late), { message: 'away' })
    late.close()
    store.failure = undefined
    store.add(1)
    const leads = tail.follow(0)
    assert.deepEqual(await take(leads, 1), [1])
    leads.close()
  })

  test('every follower sees every lead once and in order, whatever the timing', async (t) => {
    const { now, wait, advance } = stopTime(t)
    const batches = fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 400 }), silent: fc.boolean(), pauseMs: fc.nat({ max: 60 }) }),
      { minLength: 1, maxLength: 8 },
    )
    const paces = fc.array(
      fc.record({
        startMs: fc.nat({ max: 100 }),
        // The last one is longer than a page may be kept.
        pauseMs: fc.constantFrom(0, 7, 40, 1_100),
        pauseEvery: fc.integer({ min: 50, max: 400 }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    const delays = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(batches, paces, delays, async (commits, followers, readMs) => {
        const store = createMemoryInbox()
        const reader = {
          ...store,
          /** Commits can happen between the read and its result. */
          async readChanges(...query: Parameters<typeof store.readChanges>) {
            const page = await store.readChanges(...query)
            await wait(readMs[store.reads % readMs.length] ?? 0)
            return page
          },
        }
        const tail = createTail({ reader, pollMs: 20, now, budget: createByteBudget(200_000) })
        const total = commits.reduce((sum, { size }) => sum + size, 0)
        const seen = followers.map(async ({ startMs, pauseMs, pauseEvery }) => {
          await wait(startMs)
          const positions: number[] = []
          const follower = tail.follow(0)
          while (positions.length < total) {
            const { position } = await nextEntry(follower)
            positions.push(position)
            if (position % pauseEvery === 0) await wait(pauseMs)
          }
          follower.close()
          return positions
        })
        const all = Promise.all(seen)
        for (const { size, silent, pauseMs } of commits) {
          await advance(pauseMs)
          store.add(size, { silent })
        }
        for (let seconds = 0; !(await isSettled(all)); seconds++) {
          assert.ok(seconds < 120, 'a follower waits forever')
          await advance(1_000)
        }
        for (const positions of await all) assert.deepEqual(positions, upTo(total))
      }),
      { numRuns: 40 },
    )
  })

  test('includes erasures and stops at their places among the leads', async () => {
    const store = createMemoryInbox()
    const [first, second] = store.add(2) as [StoredLead, StoredLead]
    const follower = createTail({ reader: store, pollMs: never }).follow(0)
    assert.deepEqual(await take(follower, 2), [1, 2])
    const next = nextEntry(follower)
    await store.erase(first.id, { at: '2026-11-21T13:00:00.000Z', reason: 'request', caller: null })
    assert.deepEqual([(await next).entry.what, (await next).entry.lead.id], ['erased', first.id])
    store.add(1)
    const at = '2026-11-21T14:00:00.000Z'
    const stop = { contactHash: 'x', channels: [], saidAt: at, how: '', recordedAt: at, caller: null }
    await store.markStopped([second.id], stop)
    assert.deepEqual(await take(follower, 2), [4, 5])
    follower.close()
  })

  test('can be limited to one kind, and still advances without matches', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never, now })
    store.add(600)
    const [support] = store.add(1, { kind: 'support' })
    store.add(5)
    const follower = tail.follow(0, 'support')
    assert.equal((await follower.next(never, forever))?.entry?.lead.id, support?.id)
    assert.deepEqual(await follower.next(never, forever), { position: 606, entry: undefined })
    const next = follower.next(never, forever)
    await turn()
    store.add(2)
    await advance(gatherMs)
    assert.deepEqual(await next, { position: 608, entry: undefined })
    store.add(1, { kind: 'support' })
    await advance(gatherMs)
    assert.deepEqual(await take(follower, 1), [609])
    store.reads = 0
    await advance(2 * gatherMs)
    assert.equal(store.reads, 0)
    follower.close()
  })

  test('times out when nothing new arrives', async (t) => {
    const { now, advance } = stopTime(t)
    const store = createMemoryInbox()
    const follower = createTail({ reader: store, pollMs: never, now }).follow(0)
    const step = follower.next(20, forever)
    await advance(19)
    assert.equal(await isSettled(step), false)
    await advance(1)
    assert.equal(await step, undefined)
    assert.equal(await follower.next(0, forever), undefined)
    store.add(1)
    const next = take(follower, 1)
    await advance(gatherMs)
    assert.deepEqual(await next, [1])
    follower.close()
  })

  test('limits the bytes held for followers that do not consume', async () => {
    const store = createMemoryInbox()
    const notes = 'x'.repeat(20_000)
    store.add(300, { content: { formType: 'quote', notes } })
    let held = 0
    let most = 0
    const bounded = createByteBudget(1_000_000)
    const budget: typeof bounded = {
      maxBytes: bounded.maxBytes,
      hold(page) {
        held += page.bytes
        const { drop } = page
        page.drop = () => {
          held -= page.bytes
          drop()
        }
        bounded.hold(page)
        most = Math.max(most, held)
      },
      release: bounded.release,
      forget: bounded.forget,
    }
    const tail = createTail({ reader: store, pollMs: never, budget })
    const followers = Array.from({ length: 60 }, () => tail.follow(0))
    for (const follower of followers) assert.deepEqual(await take(follower, 1), [1])
    assert.ok(most > 500_000 && most <= 1_000_000, `${most} bytes`)
    // A follower that continues misses nothing of what was dropped.
    for (const follower of followers.slice(0, 3)) assert.deepEqual(await take(follower, 299), upTo(300, 2))
    assert.ok(most <= 1_000_000, `${most} bytes`)
    for (const follower of followers) follower.close()
    assert.equal(held, 0)
  })
})
