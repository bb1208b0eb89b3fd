import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import type { StoredLead } from '../../src/lead/stored-lead.ts'
import { createTail } from '../../src/lead/tail.ts'
import { createMemoryInbox } from './memory-inbox.ts'

/** Far longer than any test: only signals are heard. */
const never = 600_000

const forever = new AbortController().signal

/** Takes the next `count` leads. */
async function take(leads: AsyncGenerator<StoredLead>, count: number): Promise<number[]> {
  const positions: number[] = []
  while (positions.length < count) {
    const { value } = await leads.next()
    positions.push(value.position)
  }
  return positions
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

suite('following the leads', () => {
  test('gives what is there, in order, then what comes', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never })
    store.add(600)
    const leads = tail.follow(0, forever)
    assert.deepEqual(await take(leads, 600), upTo(600))
    const next = take(leads, 3)
    await turn()
    store.add(3)
    assert.deepEqual(await next, [601, 602, 603])
    await leads.return(undefined as never)
  })

  test('begins after the position that it is given', async () => {
    const store = createMemoryInbox()
    store.add(10)
    const leads = createTail({ reader: store }).follow(7, forever)
    assert.deepEqual(await take(leads, 3), [8, 9, 10])
    await leads.return(undefined as never)
  })

  test('finds leads that no signal told of', async () => {
    const store = createMemoryInbox()
    const leads = createTail({ reader: store, pollMs: 5 }).follow(0, forever)
    const first = take(leads, 1)
    await delay(10)
    store.add(1, { silent: true })
    assert.deepEqual(await first, [1])
    await leads.return(undefined as never)
  })

  test('costs one reader, however many follow', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never })
    const followers = Array.from({ length: 50 }, () => tail.follow(0, forever))
    const firsts = followers.map((leads) => take(leads, 1))
    await delay(50)
    store.reads = 0
    store.add(1)
    await Promise.all(firsts)
    for (let round = 0; round < 5; round++) {
      const nexts = followers.map((leads) => take(leads, 20))
      await delay(40)
      store.add(20)
      await Promise.all(nexts)
    }
    assert.ok(store.reads <= 12, `${store.reads} reads`)
    await Promise.all(followers.map((leads) => leads.return(undefined as never)))
  })

  test('reads nothing while the follower takes nothing', async () => {
    const store = createMemoryInbox()
    store.add(2_000)
    const leads = createTail({ reader: store, pollMs: 1 }).follow(0, forever)
    await take(leads, 1)
    store.reads = 0
    await delay(60)
    assert.equal(store.reads, 0)
    assert.deepEqual(await take(leads, 1_999), upTo(2_000, 2))
    assert.ok(store.reads <= 9, `${store.reads} reads`)
    await leads.return(undefined as never)
  })

  test('a follower who falls behind reads for itself and misses nothing', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: 1 })
    const [fast, slow] = [tail.follow(0, forever), tail.follow(0, forever)]
    const firsts = [take(fast, 1), take(slow, 1)]
    await delay(10)
    store.add(1)
    await Promise.all(firsts)
    // More than is kept for those who are a little behind.
    for (let round = 0; round < 10; round++) {
      const taken = take(fast, 300)
      store.add(300)
      await taken
    }
    assert.deepEqual(await take(slow, 3_000), upTo(3_001, 2))
    await Promise.all([fast.return(undefined as never), slow.return(undefined as never)])
  })

  test('reads a lead again that it has held for more than a second: it may be erased by now', async () => {
    let nowMs = 0
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never, now: () => nowMs })
    const [, second] = store.add(2) as [StoredLead, StoredLead]
    const leads = tail.follow(0, forever)
    await take(leads, 1)
    await store.erase(second.id, { at: '2026-11-21T12:00:01.000Z', reason: 'request', caller: null })
    nowMs = 1_001
    const { value } = await leads.next()
    assert.equal(value.position, 2)
    assert.equal(value.personal, null)
    assert.deepEqual(value.erasure, { at: '2026-11-21T12:00:01.000Z', reason: 'request', caller: null })
    await leads.return(undefined as never)
  })

  test('ends with the reason of the signal, while waiting and before the next lead', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: never })
    const waiting = new AbortController()
    const waits = tail.follow(0, waiting.signal).next()
    await delay(5)
    waiting.abort(new Error('stop waiting'))
    await assert.rejects(waits, { message: 'stop waiting' })

    store.add(2)
    const busy = new AbortController()
    const leads = tail.follow(0, busy.signal)
    await leads.next()
    busy.abort(new Error('stop now'))
    await assert.rejects(leads.next(), { message: 'stop now' })
  })

  test('reads no more, and listens no more, once the last follower is gone', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: 2 })
    const gone = new AbortController()
    const waits = tail.follow(0, gone.signal).next()
    await delay(20)
    assert.equal(store.listeners.size, 1)
    gone.abort(new Error('gone'))
    await assert.rejects(waits)
    await delay(5)
    store.reads = 0
    await delay(30)
    assert.equal(store.reads, 0)
    assert.equal(store.listeners.size, 0)
  })

  test('what the reader rejects with ends those who wait; who comes later is served', async () => {
    const store = createMemoryInbox()
    const tail = createTail({ reader: store, pollMs: 1 })
    const waits = [tail.follow(0, forever).next(), tail.follow(0, forever).next()]
    await delay(10)
    store.failure = new Error('away')
    for (const wait of waits) await assert.rejects(wait, { message: 'away' })
    await assert.rejects(tail.follow(0, forever).next(), { message: 'away' })
    store.failure = undefined
    store.add(1)
    const leads = tail.follow(0, forever)
    assert.deepEqual(await take(leads, 1), [1])
    await leads.return(undefined as never)
  })

  test('whatever comes when, every follower sees every lead once and in order', async () => {
    const batches = fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 400 }), silent: fc.boolean(), pauseMs: fc.nat({ max: 3 }) }),
      { minLength: 1, maxLength: 8 },
    )
    const paces = fc.array(fc.record({ startMs: fc.nat({ max: 10 }), pauseEvery: fc.integer({ min: 1, max: 200 }) }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(batches, paces, async (commits, followers) => {
        const store = createMemoryInbox()
        const tail = createTail({ reader: store, pollMs: 2 })
        const total = commits.reduce((sum, { size }) => sum + size, 0)
        const seen = followers.map(async ({ startMs, pauseEvery }) => {
          await delay(startMs)
          const positions: number[] = []
          for await (const { position } of tail.follow(0, forever)) {
            positions.push(position)
            if (positions.length === total) break
            if (position % pauseEvery === 0) await turn()
          }
          return positions
        })
        for (const { size, silent, pauseMs } of commits) {
          await delay(pauseMs)
          store.add(size, { silent })
        }
        for (const positions of await Promise.all(seen)) assert.deepEqual(positions, upTo(total))
      }),
      { numRuns: 40 },
    )
  })
})
