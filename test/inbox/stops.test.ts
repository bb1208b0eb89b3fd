import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { createStops, type StopInput } from '../../src/inbox/stops.ts'
import { LeadError } from '../../src/lead/error.ts'
import { forever, setUpInbox as setUp, stopKey } from './inbox-fixture.ts'
import { iso, noon } from './memory-inbox.ts'

const minuteMs = 60_000

const pat = { phone: '2025550123', email: 'pat@example.com' }

const keyId = createHmac('sha256', stopKey).update('lead-intake stop key id').digest('hex').slice(0, 16)

const plain: StopInput = { contact: pat.phone, channels: [], saidAtMs: undefined, how: '' }

function refusedWith(code: string, words: RegExp) {
  return (error: unknown) => error instanceof LeadError && error.code === code && words.test(error.message)
}

/** The position and the stop of each lead after a cursor. */
async function stopped({ drain }: ReturnType<typeof setUp>, cursor = '') {
  const { messages } = await drain({ cursor })
  return messages.map(({ lead }) => [lead?.position, lead?.stoppedAt])
}

suite('a stop', () => {
  test('is stored only as a keyed hash of the normalized number or address', async () => {
    const { store, inbox } = setUp()
    const input = {
      ...plain,
      contact: ' (202) 555-0123',
      channels: ['text', 'phone', 'text'],
      how: ' replied STOP ',
    } as const
    assert.equal(await inbox.recordStop({ ...input, saidAtMs: noon - minuteMs }, 'crm.internal'), iso(noon))
    const { marked: _, ...stop } = store.stops[0] ?? assert.fail()
    assert.deepEqual(stop, {
      contactHash: createHmac('sha256', stopKey).update('2025550123').digest('hex'),
      keyId,
      channels: ['phone', 'text'],
      saidAt: iso(noon - minuteMs),
      how: 'replied STOP',
      recordedAt: iso(noon),
      caller: 'crm.internal',
    })
    await inbox.recordStop({ ...plain, contact: 'Pat@EXAMPLE.com' }, undefined)
    assert.equal(store.stops[1]?.contactHash, createHmac('sha256', stopKey).update('pat@example.com').digest('hex'))
    assert.equal(store.stops[1]?.saidAt, iso(noon))
  })

  test('is shown with every lead of that person, earlier or later, in lists, the feed and alone', async () => {
    const fixture = setUp(2)
    const { inbox, addOf, clock, list, stops } = fixture
    addOf({ phone: pat.phone, email: 'pat@example.org' }, { receivedAt: iso(noon - minuteMs) })
    await inbox.recordStop(plain, undefined)
    await stops.announce(forever)
    clock.nowMs += minuteMs
    const after = addOf({ phone: pat.phone, email: 'new@example.com' }, { receivedAt: iso(clock.nowMs) })
    assert.deepEqual(await stopped(fixture), [
      [1, null],
      [2, null],
      [3, iso(noon)],
      [3, iso(noon)],
      [5, iso(noon)],
    ])
    assert.equal((await inbox.get(after.id)).stoppedAt, iso(noon))
    assert.deepEqual(
      (await list()).leads.map(({ stoppedAt }) => stoppedAt),
      [null, null, iso(noon), iso(noon)],
    )
  })

  test('makes each earlier lead that is not erased appear in the feed again, by number and by address', async () => {
    const fixture = setUp()
    const { inbox, addOf, drain, clock } = fixture
    for (let count = 0; count < 600; count++) addOf({ phone: '2025550199' })
    addOf(pat)
    addOf({ email: 'PAT@example.com' })
    addOf({ phone: pat.phone })
    const erased = addOf(pat)
    await inbox.erase(erased.id, { stop: false, caller: undefined })
    const { cursor } = await drain()
    clock.nowMs += minuteMs
    const at = await inbox.recordStop({ ...plain, contact: pat.email }, undefined)
    await fixture.stops.announce(forever)
    assert.deepEqual(await stopped(fixture, cursor), [
      [601, at],
      [602, at],
    ])
  })

  test('changes nothing when recorded again, unless the person has submitted again in between', async () => {
    const fixture = setUp()
    const { inbox, addOf, drain, clock, stops } = fixture
    const announce = () => stops.announce(forever)
    addOf(pat)
    clock.nowMs = noon + minuteMs
    const first = await inbox.recordStop(plain, undefined)
    await announce()
    assert.deepEqual(await stopped(fixture), [
      [1, first],
      [1, first],
    ])
    const { cursor } = await drain()
    clock.nowMs += minuteMs
    await inbox.recordStop(plain, undefined)
    await announce()
    assert.deepEqual(await stopped(fixture, cursor), [])

    clock.nowMs += minuteMs
    addOf(pat, { receivedAt: iso(clock.nowMs) })
    clock.nowMs += minuteMs
    const later = await inbox.recordStop(plain, undefined)
    await announce()
    const [asked, again] = await stopped(fixture, cursor)
    assert.deepEqual([asked?.[1], again?.[1]], [later, later])
    assert.equal(asked?.[0], again?.[0])
    assert.equal((await stopped(fixture)).filter(([, at]) => at === first).length, 2)
  })

  test('that cannot be announced now is reported, and announced once after a restart', async () => {
    const fixture = setUp()
    const { store, addOf, inbox, errors, stops } = fixture
    addOf(pat)
    const { readAfter } = store
    store.readAfter = () => Promise.reject(new LeadError('inbox_unavailable', 'Away.'))
    await inbox.recordStop(plain, undefined)
    await stops.close()
    assert.equal(errors.length, 1)
    store.readAfter = readAfter
    // As after a restart.
    assert.equal(await stops.announce(forever), 1)
    assert.deepEqual(await store.unmarkedStops(10), [])
    assert.equal(await stops.announce(forever), 0)
    assert.equal(store.changes.length, 1)
  })

  test('that was recorded with an older key still applies to earlier and later leads', async () => {
    const fixture = setUp()
    const { store, addOf, clock } = fixture
    addOf(pat)
    const at = await fixture.inbox.recordStop(plain, undefined)
    clock.nowMs += minuteMs
    const now = () => clock.nowMs
    const stops = createStops({ store, keys: ['the newest key of all', stopKey], now, onError: assert.ifError })
    assert.equal(await stops.announce(forever), 1)
    addOf({ phone: pat.phone }, { receivedAt: iso(clock.nowMs) })
    const shown = await stops.show(store.leads)
    assert.deepEqual(
      shown.map(({ stoppedAt }) => stoppedAt),
      [at, at],
    )
    await stops.record({ ...plain, contact: pat.email }, undefined)
    await stops.close()
    assert.deepEqual([store.stops[0]?.keyId, store.stops[1]?.keyId === keyId], [keyId, false])

    assert.equal(await stops.findKeyFault(), undefined)
    await store.recordStop({ ...(store.stops[1] ?? assert.fail()), recordedAt: iso(clock.nowMs + 1) })
    for (const keys of [[], [stopKey], ['yet another key']]) {
      const lacking = createStops({ store, keys, now, onError: assert.ifError })
      await lacking.announce(forever)
      assert.equal((await store.unmarkedStops(10)).length, 1, 'left to who has the key')
      assert.match((await lacking.findKeyFault()) ?? '', /^STOP_KEY: .* lacks the key with the id [0-9a-f]{16}/)
    }
  })

  test('needs STOP_KEY', async () => {
    const { store, inbox } = setUp(1, { keys: [] })
    const id = String(store.leads[0]?.id)
    await assert.rejects(inbox.recordStop(plain, undefined), refusedWith('failed_precondition', /STOP_KEY/))
    const refused = inbox.erase(id, { stop: true, caller: undefined })
    await assert.rejects(refused, refusedWith('failed_precondition', /STOP_KEY/))
    assert.equal((await inbox.get(id)).erasure, null)
  })

  test('is refused without a person, in long or odd words, and with a time to come', async () => {
    for (const [input, field] of [
      [{ contact: '' }, 'contact'],
      [{ contact: 'Pat' }, 'contact'],
      [{ how: 'x'.repeat(201) }, 'how'],
      [{ how: 'a\nb' }, 'how'],
      [{ how: '\ud800' }, 'how'],
      [{ saidAtMs: noon + 6 * minuteMs }, 'saidAt'],
      [{ saidAtMs: Number.NaN }, 'saidAt'],
    ] as const) {
      const { store, inbox } = setUp()
      await assert.rejects(
        inbox.recordStop({ ...plain, ...input }, undefined),
        (error) => error instanceof LeadError && error.faults[0]?.pointer === `#/${field}`,
      )
      assert.deepEqual(store.stops, [])
    }
    await setUp().inbox.recordStop({ ...plain, how: '🙂'.repeat(200) }, undefined)
  })
})

suite('erasing a lead with a stop', () => {
  test("erases it, and marks the person's other leads by number and address", async () => {
    const fixture = setUp()
    const { inbox, addOf, drain, clock } = fixture
    const { id } = addOf(pat)
    addOf({ phone: pat.phone })
    addOf({ email: pat.email })
    addOf(pat)
    const { cursor } = await drain()
    clock.nowMs += minuteMs
    const at = await inbox.erase(id, { stop: true, caller: 'crm.internal' })
    await fixture.stops.announce(forever)
    const { messages } = await drain({ cursor })
    assert.deepEqual(
      messages.map(({ lead }) => [lead?.position, lead?.erasure?.at, lead?.stoppedAt]),
      [
        [1, at, at],
        [2, undefined, at],
        [3, undefined, at],
        [4, undefined, at],
      ],
    )
    addOf({ phone: pat.phone }, { receivedAt: iso(clock.nowMs + minuteMs) })
    assert.equal((await stopped(fixture)).at(-1)?.[1], at)
  })

  test('may be repeated; after an erasure without a stop, the error says what to do instead', async () => {
    const { inbox, addOf, clock } = setUp()
    const [once, plainly] = [addOf(pat), addOf({ phone: '2025550124' })]
    const at = await inbox.erase(once.id, { stop: true, caller: undefined })
    clock.nowMs += minuteMs
    assert.equal(await inbox.erase(once.id, { stop: true, caller: undefined }), at)
    await inbox.erase(plainly.id, { stop: false, caller: undefined })
    const refused = inbox.erase(plainly.id, { stop: true, caller: undefined })
    await assert.rejects(refused, refusedWith('failed_precondition', /RecordStop/))
  })
})
