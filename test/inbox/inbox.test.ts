import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { WatchMessage } from '../../src/inbox/follow.ts'
import { LeadError } from '../../src/lead/error.ts'
import { noon } from '../store/leads.ts'
import { byRequest, setUpInbox as setUp } from './inbox-fixture.ts'

const positions = ({ leads }: { leads: readonly { position: number }[] }) => leads.map(({ position }) => position)

suite('a list of leads', () => {
  test('has 50 leads per page by default or up to 500, those committed meanwhile, and no token at its end', async () => {
    const { list, add } = await setUp(110)
    const first = await list()
    assert.deepEqual([first.leads.length, positions(first)[0], positions(first)[49]], [50, 1, 50])
    const second = await list({ pageToken: first.nextPageToken })
    await add(2)
    const third = await list({ pageToken: second.nextPageToken })
    assert.deepEqual([positions(third)[0], third.leads.length, third.nextPageToken], [101, 12, ''])
    const full = await list({ pageSize: 500, pageToken: first.nextPageToken })
    assert.deepEqual([full.leads.length, full.nextPageToken], [62, ''])
    assert.equal((await list({ pageSize: 112 })).nextPageToken, '')
  })

  test('refuses a token for a lead that no longer exists because the database was restored', async () => {
    const { list, add, restore } = await setUp(5)
    const { nextPageToken } = await list({ pageSize: 5 - 1 })
    const refusal = { code: 'invalid_argument', message: /^pageToken / }
    restore(2)
    await assert.rejects(list({ pageToken: nextPageToken }), refusal)
    await add(3)
    await assert.rejects(list({ pageToken: nextPageToken }), refusal)
  })

  test("ends a page early instead of exceeding gRPC's message limit", async () => {
    const { list, add } = await setUp()
    const added = await add(500, { content: { notes: 'é'.repeat(5_000) } })
    const read: number[] = []
    let pageToken = ''
    do {
      const page = await list({ pageSize: 500, pageToken })
      const bytes = page.leads.reduce((sum, lead) => sum + Buffer.byteLength(lead.personal ?? ''), 0)
      assert.ok(bytes > 0 && bytes <= 2_000_000)
      read.push(...positions(page))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    assert.deepEqual(read, positions({ leads: added }))
  })

  test("has the feed's head before the first page was read as the cursor of every page", async () => {
    const { erase, leads, add, list, drain } = await setUp(3)
    const first = await list({ pageSize: 2 })
    // The pages miss both: one lead had already been read, and has been erased since.
    await erase(String(leads[0]?.id), byRequest)
    await add()
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken })
    assert.equal(second.cursor, first.cursor)
    const { messages } = await drain({ cursor: second.cursor })
    const missed = messages.map(({ lead }) => `${lead?.position} ${lead?.erasure?.reason}`)
    assert.deepEqual(missed, ['1 request', '5 undefined'])
  })
})

/** Takes messages until there are `count`. */
async function take(stream: AsyncIterable<WatchMessage>, count: number): Promise<WatchMessage[]> {
  const messages: WatchMessage[] = []
  for await (const message of stream) if (messages.push(message) === count) break
  return messages
}

/** The position of the lead in each message, with "erased" if it is. A dash: a caught-up message. */
const shown = (messages: WatchMessage[]) =>
  messages.map(({ lead }) => (lead ? `${lead.position}${lead.erasure ? ' erased' : ''}` : '-')).join(', ')

suite('the feed', () => {
  test('sends every lead, then a caught-up message, then each new lead, with and without a signal', async () => {
    const { watch, add, addElsewhere } = await setUp(2)
    const messages: WatchMessage[] = []
    for await (const message of await watch()) {
      if (messages.push(message) === 6) break
      if (messages.length > 2) await (messages.length % 2 ? addElsewhere() : add())
    }
    assert.equal(shown(messages), '1, 2, -, 3, 4, 5')
  })

  test("sends an erasure once, whichever kind is followed, and from any message's cursor exactly the rest", async () => {
    const { erase, leads, add, drain } = await setUp(2)
    await add(1, { kind: 'support' })
    await add(70)
    for (const lead of [leads[0], leads[0], ...(await add(1, { kind: 'support' }))])
      await erase(String(lead?.id), byRequest)
    assert.equal(shown((await drain({ kind: 'support' })).messages), '3, 74 erased, 74 erased')
    const { messages } = await drain({ kind: 'quote' })
    assert.equal(messages.length, 73)
    for (const index of [0, 40, 72]) {
      const rest = await drain({ kind: 'quote', cursor: String(messages[index]?.cursor) })
      assert.equal(shown(rest.messages), shown(messages.slice(index + 1)))
    }
  })

  test('reports that it has caught up with the call, even while leads keep coming', async () => {
    const { add, watch } = await setUp(2)
    const stream = await watch()
    await add(500)
    const messages = await take(stream, 5)
    assert.equal(shown(messages), '1, 2, -, 3, 4')
    const again = await take(await watch({ cursor: String(messages[2]?.cursor) }), 1)
    assert.equal(shown(again), '3')
  })

  test('reports it again after each interval without a message, even while leads of another kind keep coming', async () => {
    const { add, watch, drain } = await setUp(0, 40)
    const messages: WatchMessage[] = []
    for await (const message of await watch({ kind: 'support' })) {
      if (messages.push(message) === 4) break
      await add()
    }
    assert.equal(shown(messages), '-, -, -, -')
    assert.equal(new Set(messages.map(({ cursor }) => cursor)).size, 4)
    await add(1, { kind: 'support' })
    const { messages: rest } = await drain({ kind: 'support', cursor: String(messages[3]?.cursor) })
    assert.equal(shown(rest), '4')
  })

  test('is refused beyond 250 streams, and accepted again when one has ended', async () => {
    const { watch } = await setUp(1)
    const open = async () => (await watch())[Symbol.asyncIterator]()
    const streams = await Promise.all(Array.from({ length: 250 }, open))
    for (const stream of streams) await stream.next()
    await assert.rejects(watch(), { name: 'LeadError', code: 'inbox_unavailable', retryAfterSeconds: 5 })
    await streams[0]?.return?.()
    const taken = await open()
    assert.equal((await taken.next()).value.lead.position, 1)
    for (const stream of [...streams, taken]) await stream.return?.()
  })

  test('can start now, or with the first entry stamped at or after a time', async () => {
    const { facts, erase, leads, add, drain, watch } = await setUp(4)
    const fromNow = await watch({ startNow: true })
    facts.nowMs = noon + 50
    await erase(String(leads[1]?.id), byRequest)
    // Another replica's clock is behind.
    await add(1, { atMs: noon + 1 })
    const from = async (ms: number) =>
      (await drain({ startTime: new Date(noon + ms).toISOString() })).messages.map(({ lead }) => lead?.position)
    assert.deepEqual(await from(0), [1, 2, 3, 4, 2, 6])
    assert.deepEqual(await from(3), [3, 4, 2, 6])
    assert.deepEqual(await from(5), [2, 6])
    assert.deepEqual(await from(50), [2, 6])
    assert.deepEqual(await from(51), [])

    const future = await watch({ startTime: new Date(noon + 1_000).toISOString() })
    await add(2)
    await add(1, { atMs: noon + 1_000 })
    await add()
    assert.equal(shown(await take(future, 3)), '-, 9, 10')
    assert.equal(shown(await take(fromNow, 3)), '-, 2 erased, 6')
  })
})

test('a database restored from an older backup refuses later cursors, even after it has reused their positions', async () => {
  const { erase: eraseLead, leads, add, drain, watch, restore } = await setUp(3)
  const erase = () => eraseLead(String(leads[0]?.id), byRequest)
  await erase()
  const cursors = (await drain()).messages.map(({ cursor }) => cursor)
  const areLost = async () => {
    for (const cursor of cursors.slice(2)) await assert.rejects(watch({ cursor }), { code: 'cursor_lost' })
  }
  restore(2)
  await areLost()
  await add()
  // The same erasure at the same position, but not the same entry.
  await erase()
  await add(7)
  await areLost()
  for (const [index, left] of [10, 9].entries())
    assert.equal((await drain({ cursor: String(cursors[index]) })).messages.length, left)
})

test('the consumer metrics show the number of streams by name, for at most 50 names, and the largest lag', async () => {
  const { facts, inbox, watch } = await setUp(10)
  const streams = [await watch({ consumer: 'crm' }), await watch({ consumer: 'crm' }), await watch({})]
  const open = streams.map((stream) => stream[Symbol.asyncIterator]())
  for (const [index, count] of [2, 10, 10].entries()) {
    for (let taken = 0; taken < count; taken++) await open[index]?.next()
  }
  facts.nowMs = noon + 60_003
  assert.deepEqual(await inbox.consumers.readLags(), [
    { consumer: 'crm', streams: 2, lagSeconds: 60 },
    { consumer: 'unnamed', streams: 1, lagSeconds: 0 },
  ])
  for (const stream of open) await stream.return?.()
  const none = ['crm', 'unnamed'].map((consumer) => ({ consumer, streams: 0, lagSeconds: undefined }))
  assert.deepEqual(await inbox.consumers.readLags(), none)
  facts.failure = new LeadError('inbox_unavailable')
  assert.deepEqual(await inbox.consumers.readLags(), none)
  facts.failure = undefined
  for (let number = 0; number < 60; number++) await take(await watch({ consumer: `c${number}` }), 1)
  const names = (await inbox.consumers.readLags()).map(({ consumer }) => consumer)
  assert.deepEqual([names.length, names[49], names[50]], [51, 'c47', 'other'])
})
