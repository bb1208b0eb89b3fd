import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Watched } from '../../src/inbox/follow.ts'
import { LeadError } from '../../src/lead/error.ts'
import { setUpInbox as setUp } from './inbox-fixture.ts'
import { iso, noon } from './memory-inbox.ts'

const byRequest = { stop: false, caller: undefined }

function refusedWith(code: string, field?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof LeadError)
    assert.equal(error.code, code)
    assert.deepEqual(
      error.faults.map(({ pointer }) => pointer),
      field === undefined ? [] : [`#/${field}`],
    )
    return true
  }
}

/** Takes messages until there are `count`. */
async function take(stream: AsyncIterable<Watched>, count: number): Promise<Watched[]> {
  const messages: Watched[] = []
  for await (const message of stream) if (messages.push(message) === count) break
  return messages
}

/** The position of the lead in each message, and whether it is erased. Null: a caught-up message. */
const shown = (messages: Watched[]) =>
  messages.map(({ lead }) => (lead === undefined ? null : [lead.position, lead.erasure !== null]))

suite('the feed', () => {
  test('sends every lead, then a caught-up message, then each new lead', async () => {
    const { store, watch } = setUp(3)
    const stream = (await watch())[Symbol.asyncIterator]()
    const next = async () => (await stream.next()).value as Watched
    assert.deepEqual(shown([await next(), await next(), await next(), await next()]), [
      [1, false],
      [2, false],
      [3, false],
      null,
    ])
    const fourth = next()
    store.add(1)
    assert.deepEqual(shown([await fourth]), [[4, false]])
    await stream.return?.()
  })

  test('sends an erasure once at a new position, and at the old position the lead in its current state', async () => {
    const { store, inbox, drain } = setUp(3)
    const [first, second] = store.leads
    await inbox.erase(String(first?.id), byRequest)
    store.add(1)
    await inbox.erase(String(second?.id), byRequest)
    await inbox.erase(String(first?.id), byRequest)
    const { messages, cursor } = await drain()
    assert.deepEqual(shown(messages), [
      [1, true],
      [2, true],
      [3, false],
      [1, true],
      [5, false],
      [2, true],
    ])
    assert.deepEqual((await drain({ cursor })).messages, [])
    // From the cursor of any message, exactly the rest follows.
    for (const [index, message] of messages.entries()) {
      const rest = await drain({ cursor: message.cursor })
      assert.deepEqual(shown(rest.messages), shown(messages.slice(index + 1)))
    }
    await store.eraseReceivedBefore(iso(noon + 4), { at: iso(noon), reason: 'retention', caller: null }, 10)
    const byAge = await drain({ cursor })
    assert.deepEqual([shown(byAge.messages), byAge.messages[0]?.lead?.erasure?.reason], [[[3, true]], 'retention'])
  })

  test('can be limited to one kind and its changes', async () => {
    const { store, inbox, drain } = setUp(2)
    const [support] = store.add(1, { kind: 'support' })
    store.add(300)
    await inbox.erase(String(store.leads[0]?.id), byRequest)
    await inbox.erase(String(support?.id), byRequest)
    const { messages, cursor } = await drain({ kind: 'support' })
    assert.deepEqual(shown(messages), [
      [3, true],
      [3, true],
    ])
    assert.equal((await drain({ kind: 'quote' })).messages.length, 303)
    // Leads that were skipped are not examined again.
    store.add(2)
    await inbox.erase(String(store.leads[1]?.id), byRequest)
    const behind = await drain({ cursor: (await drain({ kind: 'support', cursor })).cursor })
    assert.deepEqual(behind.messages, [])
  })

  test('is caught up at once in an empty database, with a cursor that works later', async () => {
    const { store, drain } = setUp()
    const { messages, cursor } = await drain()
    assert.deepEqual(messages, [])
    store.add(2)
    assert.deepEqual(shown((await drain({ cursor })).messages), [
      [1, false],
      [2, false],
    ])
    store.restore(0)
    assert.deepEqual((await drain({ cursor })).messages, [])
  })

  test('reports that it has caught up with the call, even while leads keep coming', async () => {
    const { store, watch } = setUp(2)
    const stream = await watch()
    store.add(500)
    const messages = await take(stream, 5)
    assert.deepEqual(shown(messages), [[1, false], [2, false], null, [3, false], [4, false]])
    const again = await take(await watch({ cursor: String(messages[2]?.cursor) }), 1)
    assert.deepEqual(shown(again), [[3, false]])
  })

  test('reports it again after each interval without a message, even while leads of another kind keep coming', async () => {
    const { store, watch, drain } = setUp(0, { heartbeatMs: 40 })
    const messages: Watched[] = []
    for await (const message of await watch({ kind: 'support' })) {
      if (messages.push(message) === 4) break
      store.add(1)
    }
    assert.deepEqual(shown(messages), [null, null, null, null])
    assert.equal(new Set(messages.map(({ cursor }) => cursor)).size, 4)
    store.add(1, { kind: 'support' })
    const { messages: rest } = await drain({ kind: 'support', cursor: String(messages[3]?.cursor) })
    assert.deepEqual(shown(rest), [[4, false]])
  })
})

suite('a stream of the feed', () => {
  test('finds leads without a signal, and skips none when it wakes between two', async () => {
    const { store, watch } = setUp(1)
    const stream = await watch()
    const messages: Watched[] = []
    for await (const message of stream) {
      if (messages.push(message) === 6) break
      store.add(1, { silent: messages.length % 2 === 0 })
    }
    assert.deepEqual(
      messages.map(({ lead }) => lead?.position),
      [1, undefined, 2, 3, 4, 5],
    )
  })

  test('holds one page of at most 64 KiB, and reads the next when that is taken', async () => {
    const { store, watch } = setUp(0)
    store.add(20, { content: { formType: 'quote', notes: 'x'.repeat(20_000) } })
    const stream = (await watch())[Symbol.asyncIterator]()
    for (let taken = 1; taken <= 3; taken++) {
      assert.equal((await stream.next()).value.lead.position, taken)
      assert.equal(store.reads, 1)
    }
    assert.equal((await stream.next()).value.lead.position, 4)
    assert.equal(store.reads, 2)
    await stream.return?.()
  })

  test("ends with the signal's reason, while it waits and between two leads", async () => {
    for (const taken of [1, 4]) {
      const { store, watch } = setUp(3)
      const leave = new AbortController()
      const stream = (await watch({}, leave.signal))[Symbol.asyncIterator]()
      for (let count = 0; count < taken; count++) await stream.next()
      const next = stream.next()
      leave.abort(new Error('gone'))
      if (taken === 1) await next
      await assert.rejects(taken === 1 ? stream.next() : next, /gone/)
      assert.deepEqual([store.listeners.size, store.reconnected.size], [0, 0])
    }
  })

  test('ends with the error of a read', async () => {
    const { store, watch } = setUp(0)
    const stream = (await watch())[Symbol.asyncIterator]()
    await stream.next()
    store.failure = new LeadError('inbox_unavailable', 'Away.')
    await assert.rejects(stream.next(), /Away/)
    assert.equal(store.listeners.size, 0)
  })

  test('is refused beyond 250, and taken again when one has ended', async () => {
    const { watch } = setUp(1)
    const open = async () => (await watch())[Symbol.asyncIterator]()
    const streams = await Promise.all(Array.from({ length: 250 }, open))
    for (const stream of streams) await stream.next()
    const refused = await open()
    await assert.rejects(refused.next(), (error) => {
      return error instanceof LeadError && error.code === 'inbox_unavailable' && error.retryAfterSeconds === 5
    })
    await streams[0]?.return?.()
    const taken = await open()
    assert.equal((await taken.next()).value.lead.position, 1)
    for (const stream of [...streams, taken]) await stream.return?.()
  })
})

suite('a stream whose connection to the database was made again', () => {
  test('goes on when its cursor is known', async () => {
    const { store, watch } = setUp(2)
    const stream = (await watch({ kind: 'quote' }))[Symbol.asyncIterator]()
    for (let taken = 0; taken < 3; taken++) await stream.next()
    // The stream has examined an entry of another kind, which the server that took over does not have.
    store.add(1, { kind: 'support' })
    store.restore(2)
    store.add(2)
    for (const reconnected of store.reconnected) reconnected()
    const positions = [await stream.next(), await stream.next()].map(({ value }) => value.lead.position)
    assert.deepEqual(positions, [3, 4])
    await stream.return?.()
  })

  test('ends with cursor_lost when it is not, and skips nothing', async () => {
    const { store, watch } = setUp(5)
    const stream = (await watch())[Symbol.asyncIterator]()
    for (let taken = 0; taken < 6; taken++) await stream.next()
    store.restore(3)
    store.add(9, { silent: true })
    for (const reconnected of store.reconnected) reconnected()
    await assert.rejects(stream.next(), refusedWith('cursor_lost'))
  })
})

suite('the start of the feed', () => {
  test('can be now, for new leads only', async () => {
    const { store, watch } = setUp(3)
    const stream = await watch({ startNow: true })
    store.add(1)
    assert.deepEqual(shown(await take(stream, 2)), [null, [4, false]])
  })

  test('can be the first entry stamped at or after a time, and includes everything after it', async () => {
    const { store, inbox, clock, drain } = setUp(4)
    clock.nowMs = noon + 50
    await inbox.erase(String(store.leads[1]?.id), byRequest)
    // Another replica's clock is behind.
    store.add(1, { receivedAt: iso(noon + 1) })
    const from = async (ms: number) =>
      (await drain({ startTimeMs: noon + ms })).messages.map(({ lead }) => lead?.position)
    assert.deepEqual(await from(0), [1, 2, 3, 4, 2, 6])
    assert.deepEqual(await from(3), [3, 4, 2, 6])
    assert.deepEqual(await from(5), [2, 6])
    assert.deepEqual(await from(50), [2, 6])
    assert.deepEqual(await from(51), [])
  })

  test('can be a future time, and then starts with the first entry from that time on', async () => {
    const { store, watch } = setUp(2)
    const stream = await watch({ startTimeMs: noon + 1_000 })
    store.add(2)
    store.add(1, { receivedAt: iso(noon + 1_000) })
    store.add(1)
    assert.deepEqual(shown(await take(stream, 3)), [null, [5, false], [6, false]])
  })

  test('is refused if it is contradictory, garbled or a page token', async () => {
    const { list, watch } = setUp(5)
    const { nextPageToken, cursor } = await list({ pageSize: 1 })
    for (const [starts, field] of [
      [{ cursor, startNow: true }, 'startNow'],
      [{ cursor, startTimeMs: noon }, 'startTime'],
      [{ startTimeMs: noon, startNow: true }, 'startNow'],
      [{ startTimeMs: Number.NaN }, 'startTime'],
      [{ cursor: 'A'.repeat(40) }, 'cursor'],
      [{ cursor: nextPageToken }, 'cursor'],
      [{ cursor: (cursor[20] === 'x' ? 'y' : 'x') + cursor.slice(1) }, 'cursor'],
      [{ consumer: 'c r m' }, 'consumer'],
      [{ consumer: 'c'.repeat(51) }, 'consumer'],
      [{ consumer: 'crm\n' }, 'consumer'],
    ] as const) {
      await assert.rejects(watch(starts), refusedWith('invalid_argument', field), JSON.stringify(starts))
    }
  })
})

suite('a database restored from an older backup', () => {
  test('rejects later cursors, even after it has reused their positions', async () => {
    const { store, inbox, drain, watch } = setUp(5)
    await inbox.erase(String(store.leads[0]?.id), byRequest)
    const { messages } = await drain()
    store.restore(2)
    const cursors = messages.map(({ cursor }) => cursor)
    for (const cursor of cursors.slice(2)) await assert.rejects(watch({ cursor }), refusedWith('cursor_lost'))
    store.add(9)
    for (const cursor of cursors.slice(2)) await assert.rejects(watch({ cursor }), refusedWith('cursor_lost'))
    assert.equal((await drain({ cursor: String(cursors[1]) })).messages.length, 9)
    assert.equal((await drain({ cursor: String(cursors[0]) })).messages.length, 10)
  })

  test('distinguishes an erasure from the same one repeated at the same position', async () => {
    const { store, inbox, drain, watch } = setUp(2)
    const id = String(store.leads[0]?.id)
    store.add(1)
    await inbox.erase(id, byRequest)
    const { cursor } = await drain()
    store.restore(2)
    store.add(1)
    await inbox.erase(id, byRequest)
    assert.equal(store.changes[0]?.position, 4)
    await assert.rejects(watch({ cursor }), refusedWith('cursor_lost'))
  })
})

suite('the consumer metrics', () => {
  test('show the number of streams by name, and the largest lag', async () => {
    const { store, inbox, watch, clock } = setUp(10)
    const streams = [await watch({ consumer: 'crm' }), await watch({ consumer: 'crm' }), await watch({})]
    const open = streams.map((stream) => stream[Symbol.asyncIterator]())
    for (const [index, count] of [2, 10, 10].entries()) {
      for (let taken = 0; taken < count; taken++) await open[index]?.next()
    }
    clock.nowMs = noon + 60_003
    assert.deepEqual(await inbox.consumers.figures(), [
      { consumer: 'crm', streams: 2, lag: { leads: 8, seconds: 60 } },
      { consumer: 'unnamed', streams: 1, lag: { leads: 0, seconds: 0 } },
    ])
    for (const stream of open) await stream.return?.()
    assert.deepEqual(await inbox.consumers.figures(), [
      { consumer: 'crm', streams: 0, lag: undefined },
      { consumer: 'unnamed', streams: 0, lag: undefined },
    ])
    store.failure = new LeadError('inbox_unavailable', 'Away.')
    assert.equal((await inbox.consumers.figures()).length, 2)
  })

  test('have at most 50 names', async () => {
    const { inbox, watch } = setUp(1)
    for (let number = 0; number < 60; number++) await take(await watch({ consumer: `c${number}` }), 1)
    const names = (await inbox.consumers.figures()).map(({ consumer }) => consumer)
    assert.deepEqual([names.length, names[49], names[50]], [51, 'c49', 'other'])
  })
})
