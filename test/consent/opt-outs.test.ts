import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OptOutInput } from '../../src/consent/opt-outs.ts'
import { byRequest, setUpInbox as setUp } from '../inbox/inbox-fixture.ts'

const minuteMs = 60_000
const pat = { phone: '2025550123', email: 'pat@example.com' }
const plain: OptOutInput = { contact: pat.phone, name: '', channels: [], saidAt: undefined, how: 'unspecified' }

test('an opt-out of some channels names them on the leads, until one of all channels is recorded', async () => {
  const { optOuts, addOf, drain } = await setUp()
  await addOf(pat)
  let { cursor } = await drain()
  for (const [channels, isNew] of [
    [['text'], true],
    [['text'], false],
    [['phone', 'text'], true],
    [[], true],
    [['phone'], false],
  ] as const) {
    await optOuts.record({ ...plain, channels })
    const page = await drain({ cursor })
    assert.deepEqual(page.messages[0]?.lead?.optedOutChannels, isNew ? channels : undefined)
    cursor = page.cursor
  }
})

test('erasing a lead with an opt-out may be repeated; after an erasure without an opt-out, the error says what to do instead', async () => {
  const { facts, store, optOuts, erase, addOf, drain } = await setUp()
  const [once, plainly] = [await addOf(pat), await addOf({ phone: '2025550124' })]
  const withOptOut = { optOut: true, caller: undefined }
  facts.nowMs += minuteMs
  const first = await optOuts.record({ ...plain, channels: ['text'] })
  facts.nowMs += minuteMs
  const at = await erase(once.id, withOptOut)
  // Two leads, the first opt-out, which stays, and the erasure, which shows it.
  assert.equal((await drain()).messages.length, 4)
  facts.nowMs += minuteMs
  assert.equal(await erase(once.id, withOptOut), at)
  assert.equal((await store.find(once.id))?.optedOutAt, first)
  // An opt-out that the lead showed before its erasure is an older wish.
  for (const older of [false, true]) {
    if (older) await optOuts.record({ ...plain, contact: '2025550125' })
    facts.nowMs += minuteMs
    const { id } = older ? await addOf({ phone: '2025550125' }, { atMs: facts.nowMs }) : plainly
    await erase(id, byRequest)
    await assert.rejects(erase(id, withOptOut), { code: 'failed_precondition', message: /RecordOptOut/ })
  }
})
