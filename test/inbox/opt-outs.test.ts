import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { createOptOuts, type OptOutInput } from '../../src/inbox/opt-outs.ts'
import { iso, noon } from '../store/leads.ts'
import { byRequest, setUpInbox as setUp, stopKey } from './inbox-fixture.ts'

const minuteMs = 60_000

const pat = { phone: '2025550123', email: 'pat@example.com' }

const hmac = (text: string) => createHmac('sha256', stopKey).update(text).digest('hex')
const keyId = hmac('lead-intake opt-out key id').slice(0, 16)

const plain: OptOutInput = { contact: pat.phone, channels: [], saidAtMs: undefined, how: 'unspecified' }

const unmet = (message: RegExp) => ({ code: 'failed_precondition', message })

/** The position and the opt-out of each lead after a cursor. */
async function optedOut({ drain }: Pick<Awaited<ReturnType<typeof setUp>>, 'drain'>, cursor = '') {
  const { messages } = await drain({ cursor })
  return messages.map(({ lead }) => `${lead?.position} ${lead?.optedOutAt}`)
}

suite('an opt-out', () => {
  test('is stored only as a keyed hash of the normalized number or address', async () => {
    const { store, inbox } = await setUp()
    const input = { contact: ' (202) 555-0123', channels: ['text', 'phone', 'text'], how: 'wrote' } as const
    assert.equal(await inbox.recordOptOut({ ...input, saidAtMs: noon - minuteMs }, 'crm.internal'), iso(noon))
    await inbox.recordOptOut({ ...plain, contact: 'Pat@EXAMPLE.com' }, undefined)
    const said = { how: 'wrote', channels: ['phone', 'text'], saidAt: iso(noon - minuteMs), caller: 'crm.internal' }
    const unsaid = { how: 'unspecified', channels: [], saidAt: iso(noon), caller: null }
    for (const [text, stored] of [
      ['2025550123', said],
      ['pat@example.com', unsaid],
    ] as const) {
      const contactHash = hmac(text)
      assert.deepEqual(await store.findOptOuts([contactHash]), [
        { ...stored, contactHash, keyId, recordedAt: iso(noon) },
      ])
    }
  })

  test('changes nothing when recorded again, unless the person has submitted again in between', async () => {
    const fixture = await setUp()
    const { facts, inbox, addOf, drain } = fixture
    const record = async () => {
      facts.nowMs += minuteMs
      return await inbox.recordOptOut(plain, undefined)
    }
    await addOf(pat)
    const first = await record()
    assert.deepEqual(await optedOut(fixture), [`1 ${first}`, `1 ${first}`])
    const { cursor } = await drain()
    await record()
    assert.deepEqual(await optedOut(fixture, cursor), [])

    facts.nowMs += minuteMs
    const { position } = await addOf(pat, { atMs: facts.nowMs })
    const later = await record()
    assert.deepEqual(await optedOut(fixture, cursor), [`${position} ${later}`, `${position} ${later}`])
    assert.equal((await optedOut(fixture)).filter((text) => text === `1 ${first}`).length, 2)
  })

  test('that was recorded with an older key still applies to earlier and later leads', async () => {
    const { facts, store, inbox, addOf } = await setUp()
    const first = await addOf(pat)
    const at = await inbox.recordOptOut(plain, undefined)
    facts.nowMs += minuteMs
    const withKeys = (keys: string[]) => createOptOuts({ store, keys, now: () => facts.nowMs })
    const optOuts = withKeys(['the newest key of all', stopKey])
    const second = await addOf({ phone: pat.phone }, { atMs: facts.nowMs })
    const shown = (await optOuts.withOptOuts([first, second])).map(({ optedOutAt }) => optedOutAt)
    assert.deepEqual(shown, [at, at])
    assert.equal(await optOuts.findKeyFault(), undefined)
    await optOuts.record({ ...plain, contact: pat.email }, undefined)
    for (const keys of [[], [stopKey], ['yet another key']])
      assert.match((await withKeys(keys).findKeyFault()) ?? '', /^STOP_KEY: .* lacks the key with the id [0-9a-f]{16}/)
  })

  test('needs STOP_KEY', async () => {
    const { inbox, leads } = await setUp(1, { keys: [] })
    const id = String(leads[0]?.id)
    await assert.rejects(inbox.recordOptOut(plain, undefined), unmet(/STOP_KEY/))
    const refused = inbox.erase(id, { optOut: true, caller: undefined })
    await assert.rejects(refused, unmet(/STOP_KEY/))
    assert.equal((await inbox.get(id)).erasure, null)
  })
})

suite('erasing a lead with an opt-out', () => {
  test("erases it, and marks the person's other leads by number and address", async () => {
    const fixture = await setUp()
    const { facts, inbox, addOf, drain } = fixture
    const { id } = await addOf(pat)
    for (const person of [{ phone: pat.phone }, { email: pat.email }, pat]) await addOf(person)
    const { cursor } = await drain()
    facts.nowMs += minuteMs
    const at = await inbox.erase(id, { optOut: true, caller: 'crm.internal' })
    const { messages } = await drain({ cursor })
    const erased = messages.map(({ lead }) => [lead?.position, lead?.erasure?.at ?? 'kept', lead?.optedOutAt].join(' '))
    assert.deepEqual(erased, [`1 ${at} ${at}`, `2 kept ${at}`, `4 kept ${at}`, `3 kept ${at}`])
    await addOf({ phone: pat.phone }, { atMs: facts.nowMs + minuteMs })
    assert.equal((await optedOut(fixture)).at(-1)?.split(' ')[1], at)
  })

  test('may be repeated; after an erasure without an opt-out, the error says what to do instead', async () => {
    const { facts, inbox, addOf } = await setUp()
    const [once, plainly] = [await addOf(pat), await addOf({ phone: '2025550124' })]
    const withOptOut = { optOut: true, caller: undefined }
    const at = await inbox.erase(once.id, withOptOut)
    facts.nowMs += minuteMs
    assert.equal(await inbox.erase(once.id, withOptOut), at)
    // An opt-out that the lead showed before its erasure is an older wish.
    for (const older of [false, true]) {
      if (older) await inbox.recordOptOut({ ...plain, contact: '2025550125' }, undefined)
      facts.nowMs += minuteMs
      const { id } = older ? await addOf({ phone: '2025550125' }, { atMs: facts.nowMs }) : plainly
      await inbox.erase(id, byRequest)
      await assert.rejects(inbox.erase(id, withOptOut), unmet(/RecordOptOut/))
    }
  })
})
