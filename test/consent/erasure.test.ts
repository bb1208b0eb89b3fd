import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRetention } from '../../src/consent/erasure.ts'
import { parseRecord } from '../../src/consent/restore-lines.ts'
import { forever, setUpInbox } from '../inbox/inbox-fixture.ts'
import { noon } from '../store/leads.ts'

test('retention erases what is too old, to the millisecond, in small batches, until the service stops', async () => {
  const { store } = await setUpInbox(401)
  const stopping = new AbortController()
  const erase: typeof store.erase = (...args) => {
    stopping.abort()
    return store.erase(...args)
  }
  const now = async () => noon + 30 * 86_400_000 + 401
  const retain = createRetention({ ...store, erase }, now, 30)
  assert.deepEqual([await retain(stopping.signal), await retain(forever)], [200, 200])
  const erased = { at: '2026-12-21T12:00:00.401Z', reason: 'retention', caller: null }
  const last = (await store.readLeads(399, 9)).map(({ erasure }) => erasure)
  assert.deepEqual(last, [erased, null])
})

const id = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'
const now = '2026-11-22T08:00:00.000Z'
const at = '2026-11-20T08:00:00.000Z'
const line = { level: 'info', leadId: id, erasedAt: at, reason: 'retention', caller: 'crm', msg: 'lead erased' }
const logged = (members: object = {}) => JSON.stringify({ ...line, ...members })
const told = { id, erasure: { at, reason: 'retention', caller: 'crm' } } as const
const byId = { erased: { id, erasure: { at: now, reason: 'request', caller: null } } }
const optOut = {
  ...{ id, name: null, contactField: 'phone', leadIds: [id], channels: ['email', 'text'] },
  ...{ saidAt: '2026-11-19T08:00:00.000Z', how: 'replied_stop', recordedAt: at, caller: 'crm' },
}
const noted = (members: object = {}) =>
  `pod-1 ${JSON.stringify({ level: 'info', optOutId: id, ...optOut, ...members, msg: 'opt-out recorded' })}`
const halted = { reported: { id, optedOutAt: at } }

for (const [cell, channels, contact = '+12025550177'] of [
  ['Text, phone', ['phone', 'text']],
  ['all', []],
  ['text; phone', []],
  ['email', []],
  ['text', [], 'pat@example.com'],
] as const)
  test(`a line of the list never allows more than it says: "${cell}" for ${contact}`, () => {
    const record = parseRecord(`"${contact}","","","${at}","called","${cell}"`, now)
    assert.deepEqual(record && 'optOut' in record && record.optOut.channels, channels)
  })

test('an operator may repeat erasures and opt-outs from log lines with any prefix, lines of consumers, and ids alone', () => {
  const erasedWith = (erasure: object) => ({ erased: { ...told, erasure: { ...told.erasure, ...erasure } } })
  for (const [text, record] of [
    [`2026-11-20 pod-1 ${logged()}\r`, { erased: told }],
    [`  ${id.toUpperCase()} `, byId],
    [`2026-11-20T08:00:00Z erase again: ${id}`, byId],
    [`crm opt-out again: ${id} ${at}`, halted],
    [`opt-out again: ${id} 2026-11-20T08:00:00.000000Z`, halted],
    [noted(), { optOut }],
    [noted({ caller: 5, saidAt: 'x' }), { optOut: { ...optOut, caller: null, saidAt: at } }],
    // Nothing is taken from a line that the service did not write and a database may refuse.
    [logged({ erasedAt: '2026-11-22T08:00:00.001Z' }), erasedWith({ at: now })],
    [logged({ erasedAt: '0000-01-01T00:00:00.000Z' }), erasedWith({ at: now })],
    [logged({ erasedAt: null }), erasedWith({ at: now })],
    ...['a\0b', 'a'.repeat(513), 5].map((caller) => [logged({ caller }), erasedWith({ caller: null })] as const),
  ] as const)
    assert.deepEqual(parseRecord(text, now), record, text)
  const faulty = [
    ...[{ contactField: 'x' }, { optOutId: 'x' }, { leadIds: ['x'] }, { channels: ['fax'] }, { how: '' }],
    { recordedAt: '2027-01-01T00:00:00Z' },
  ]
  const foreign = ['', '{', '{"msg":"lead erased"}', `{"msg":"request","leadId":"${id}"}`, `lead erased ${id}`]
  const unknown = ['x', id, `${id} x`, `${id} 2027-01-01T00:00:00Z`].map((rest) => `opt-out again: ${rest}`)
  for (const text of [...faulty.map(noted), ...foreign, ...unknown, `${id} ${id}`])
    assert.equal(parseRecord(text, now), undefined, text)
})
