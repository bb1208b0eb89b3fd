import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { suite, test } from 'node:test'
import { LeadError } from '../../src/lead/error.ts'
import { createInbox, type ListInput } from '../../src/lead/inbox.ts'
import { createMemoryInbox, noon, storedLead } from './memory-inbox.ts'

const everything: ListInput = {
  pageSize: 0,
  pageToken: '',
  kind: undefined,
  receivedAfterMs: undefined,
  receivedBeforeMs: undefined,
}

function setUp(count = 0) {
  const store = createMemoryInbox()
  store.add(count)
  const inbox = createInbox({ store, now: () => noon })
  const list = (input: Partial<ListInput> = {}) => inbox.list({ ...everything, ...input })
  return { store, inbox, list }
}

const positions = ({ leads }: { leads: { position: number }[] }) => leads.map(({ position }) => position)

/** A refusal of one field, which never shows what was sent. */
function refusal(field: string, sent?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof LeadError)
    assert.equal(error.code, 'invalid_argument')
    assert.deepEqual(
      error.faults.map(({ pointer, code }) => [pointer, code]),
      [[`#/${field}`, 'invalid_value']],
    )
    const [fault] = error.faults
    assert.ok(fault?.detail && fault.hint)
    if (sent) assert.ok(!JSON.stringify([error.message, error.faults]).includes(sent))
    return true
  }
}

suite('a list of leads', () => {
  test('has 50 on a page unless it is told otherwise, and no token after the last', async () => {
    const { list } = setUp(120)
    const first = await list()
    assert.deepEqual([first.leads.length, positions(first)[0], positions(first)[49]], [50, 1, 50])
    const second = await list({ pageToken: first.nextPageToken })
    const third = await list({ pageToken: second.nextPageToken })
    assert.deepEqual([positions(third)[0], third.leads.length, third.nextPageToken], [101, 20, ''])
  })

  test('ends with a page that is full to the last place', async () => {
    const { list } = setUp(10)
    assert.equal((await list({ pageSize: 10 })).nextPageToken, '')
    assert.deepEqual(await setUp().list(), { leads: [], nextPageToken: '' })
  })

  test('may change its page size on the way', async () => {
    const { list } = setUp(30)
    const { nextPageToken } = await list({ pageSize: 3 })
    assert.equal(positions(await list({ pageSize: 500, pageToken: nextPageToken })).length, 27)
  })

  test('shows leads that were committed while it was read', async () => {
    const { store, list } = setUp(4)
    const { nextPageToken } = await list({ pageSize: 3 })
    store.add(2)
    assert.deepEqual(positions(await list({ pageToken: nextPageToken })), [4, 5, 6])
  })

  for (const pageSize of [-1, 501, 2_147_483_647]) {
    test(`has no page of ${pageSize}`, async () => {
      await assert.rejects(setUp().list({ pageSize }), refusal('pageSize'))
    })
  }

  test('is for one kind, or both', async () => {
    const { store, list } = setUp(3)
    store.leads.push(storedLead(4, { kind: 'support' }), storedLead(5))
    assert.deepEqual(positions(await list({ kind: 'support' })), [4])
    assert.deepEqual(positions(await list({ kind: 'quote' })), [1, 2, 3, 5])
  })

  test('is for a time, its beginning included and its end not', async () => {
    const { list } = setUp(5)
    const at = async (receivedAfterMs: number | undefined, receivedBeforeMs: number | undefined) =>
      positions(await list({ receivedAfterMs, receivedBeforeMs }))
    assert.deepEqual(await at(noon + 2, noon + 4), [2, 3])
    assert.deepEqual(await at(undefined, noon + 2), [1])
    assert.deepEqual(await at(noon + 5, undefined), [5])
    assert.deepEqual(await at(noon + 2, noon + 3), [2])
  })

  for (const [title, times, field] of [
    ['that ends before it begins', { receivedAfterMs: noon, receivedBeforeMs: noon - 1 }, 'receivedBefore'],
    ['that is empty', { receivedAfterMs: noon, receivedBeforeMs: noon }, 'receivedBefore'],
    ['before the year 1', { receivedAfterMs: -62_135_596_800_001 }, 'receivedAfter'],
    ['after the year 9999', { receivedBeforeMs: 253_402_300_800_000 }, 'receivedBefore'],
    ['that is none', { receivedAfterMs: Number.NaN }, 'receivedAfter'],
  ] as const) {
    test(`is not for a time ${title}`, async () => {
      await assert.rejects(setUp().list(times), refusal(field))
    })
  }

  test('takes no token of other filters, no cursor, and no other text', async () => {
    const { inbox, list } = setUp(5)
    const { nextPageToken } = await list({ pageSize: 1 })
    await assert.rejects(list({ pageToken: nextPageToken, kind: 'quote' }), refusal('pageToken', nextPageToken))
    await assert.rejects(list({ pageToken: nextPageToken, receivedAfterMs: 0 }), refusal('pageToken'))
    await assert.rejects(list({ pageToken: 'SELECT 1' }), refusal('pageToken', 'SELECT'))
    for await (const { cursor } of inbox.watch('', new AbortController().signal)) {
      await assert.rejects(list({ pageToken: cursor }), refusal('pageToken'))
      break
    }
  })

  test('takes no token of a lead that is gone: the database was restored', async () => {
    const { store, list } = setUp(5)
    const { nextPageToken } = await list({ pageSize: 5 - 1 })
    store.leads.length = 2
    await assert.rejects(list({ pageToken: nextPageToken }), refusal('pageToken'))
    store.add(3)
    await assert.rejects(list({ pageToken: nextPageToken }), refusal('pageToken'))
  })

  test('ends a page early rather than send more than gRPC clients take', async () => {
    const { store, list } = setUp()
    const content = { notes: 'é'.repeat(5_000) }
    for (let position = 1; position <= 500; position++) store.leads.push(storedLead(position, { content }))
    const seen: number[] = []
    let pageToken = ''
    do {
      const page = await list({ pageSize: 500, pageToken })
      assert.ok(page.leads.length > 0)
      assert.ok(page.leads.reduce((sum, lead) => sum + Buffer.byteLength(lead.personal ?? ''), 0) <= 2_000_000)
      seen.push(...positions(page))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    assert.deepEqual(
      seen,
      store.leads.map(({ position }) => position),
    )
  })
})

suite('one lead', () => {
  test('is found by its id, in capitals too', async () => {
    const { store, inbox } = setUp(3)
    const lead = store.leads[1]
    assert.ok(lead)
    assert.equal(await inbox.get(lead.id), lead)
    assert.equal(await inbox.get(lead.id.toUpperCase()), lead)
  })

  test('that is not there is not found', async () => {
    for (const call of ['get', 'erase'] as const) {
      await assert.rejects(
        setUp(1).inbox[call](randomUUIDv7()),
        (error) => error instanceof LeadError && error.code === 'lead_not_found',
      )
    }
  })

  for (const id of ['', 'x', '1', '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a1', 'Pat Example', '{0199e2f2}']) {
    test(`is not looked for by ${JSON.stringify(id)}`, async () => {
      await assert.rejects(setUp().inbox.get(id), refusal('id', id))
      await assert.rejects(setUp().inbox.erase(id), refusal('id', id))
    })
  }

  test('is erased at the time of the first request, whoever asks again', async () => {
    const { store } = setUp(1)
    const id = String(store.leads[0]?.id)
    let nowMs = noon
    const inbox = createInbox({ store, now: () => nowMs })
    assert.equal(await inbox.erase(id), '2026-11-21T12:00:00.000Z')
    nowMs += 60_000
    assert.equal(await inbox.erase(id), '2026-11-21T12:00:00.000Z')
    assert.deepEqual((await inbox.get(id)).erasure, { at: '2026-11-21T12:00:00.000Z', reason: 'request', caller: null })
  })
})

suite('watching', () => {
  const { signal } = new AbortController()

  test('goes on after the cursor of any lead', async () => {
    const { inbox } = setUp(20)
    const cursors: string[] = []
    for await (const { cursor } of inbox.watch('', signal)) if (cursors.push(cursor) === 20) break
    for (const [index, cursor] of cursors.slice(0, -1).entries()) {
      for await (const { lead } of inbox.watch(cursor, signal)) {
        assert.equal(lead.position, index + 2)
        break
      }
    }
  })

  test('takes no other text for a cursor', async () => {
    const { inbox, list } = setUp(5)
    const { nextPageToken } = await list({ pageSize: 1 })
    for (const cursor of ['x', nextPageToken, 'A'.repeat(34)]) {
      const watched = inbox.watch(cursor, signal)[Symbol.asyncIterator]()
      await assert.rejects(watched.next(), refusal('cursor', cursor))
    }
  })

  test('does not go on in a database that was restored from an older state: it would skip leads', async () => {
    const { store, inbox } = setUp(5)
    const cursors: string[] = []
    for await (const { cursor } of inbox.watch('', signal)) if (cursors.push(cursor) === 5) break
    store.leads.length = 2
    const next = (cursor = '') => inbox.watch(cursor, signal)[Symbol.asyncIterator]().next()
    await assert.rejects(next(cursors[4]), refusal('cursor'))
    store.add(9)
    await assert.rejects(next(cursors[4]), refusal('cursor'))
    assert.equal((await next(cursors[1])).value.lead.position, 3)
  })
})
