import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ListInput } from '../../src/inbox/inbox.ts'
import { byRequest, setUpInbox as setUp } from './inbox-fixture.ts'

const positions = ({ leads }: { leads: readonly { position: number }[] }) => leads.map(({ position }) => position)

/** All pages of a list, none of which is empty. */
async function pagesOf(list: Awaited<ReturnType<typeof setUp>>['list'], input: Partial<ListInput>) {
  const pages = []
  let pageToken = ''
  do {
    const page = await list({ ...input, pageToken })
    assert.ok(page.leads.length > 0)
    pages.push(page)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return pages
}

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
    const pages = await pagesOf(list, { pageSize: 500 })
    for (const { leads } of pages)
      assert.ok(leads.reduce((sum, lead) => sum + Buffer.byteLength(lead.personal ?? ''), 0) <= 2_000_000)
    assert.deepEqual(pages.flatMap(positions), positions({ leads: added }))
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
