import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseErasure, parseStop } from '../../src/inbox/record-line.ts'
import { createRetention } from '../../src/inbox/retention.ts'
import { noon } from '../store/leads.ts'
import { forever, setUpInbox } from './inbox-fixture.ts'

const dayMs = 86_400_000

suite('retention', () => {
  test('erases what is too old, to the millisecond, in small batches, until the service stops', async () => {
    const { store } = await setUpInbox(501)
    const stopping = new AbortController()
    const sizes: number[] = []
    const retain = createRetention({
      store: {
        ...store,
        async eraseReceivedBefore(...args) {
          const ids = await store.eraseReceivedBefore(...args)
          if (sizes.push(ids.length) === 1) stopping.abort()
          return ids
        },
      },
      now: () => noon + 30 * dayMs + 501,
      days: 30,
    })
    assert.equal(await retain(stopping.signal), 200)
    assert.equal(await retain(forever), 300)
    assert.deepEqual(sizes, [200, 200, 100])
    const erased = { at: '2026-12-21T12:00:00.501Z', reason: 'retention', caller: null }
    assert.deepEqual(
      (await store.readLeads({ from: 499 }, 9)).map(({ erasure }) => erasure),
      [erased, null],
    )
  })
})

const id = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'
const now = '2026-11-22T08:00:00.000Z'
const at = '2026-11-20T08:00:00.000Z'
const line = { level: 'info', leadId: id, erasedAt: at, reason: 'retention', caller: 'crm', msg: 'lead erased' }
const logged = (members: object = {}) => JSON.stringify({ ...line, ...members })
const told = { id, erasure: { at, reason: 'retention', caller: 'crm' } }
const byId = { id, erasure: { at: now, reason: 'request', caller: null } }

suite('lines that tell of erasures and stops', () => {
  test('are log lines with any prefix, lines of consumers, and ids alone', () => {
    for (const [text, erasure, stop] of [
      [logged(), told],
      [`2026-11-20 pod-1 ${logged()}\r`, told],
      [id, byId],
      [`  ${id.toUpperCase()} `, byId],
      [`2026-11-20T08:00:00Z erase again: ${id}`, byId],
      [`crm stop again: ${id} ${at}`, undefined, { id, at }],
      [`stop again: ${id} 2026-11-20T08:00:00Z`, undefined, { id, at }],
      [`stop again: ${id} 2026-11-20T08:00:00.000000Z`, undefined, { id, at }],
      // Nothing is taken from a line that the service did not write and a database may refuse.
      [logged({ erasedAt: '2026-11-22T08:00:00.001Z' }), { id, erasure: { ...told.erasure, at: now } }],
      [logged({ erasedAt: '0000-01-01T00:00:00.000Z' }), { id, erasure: { ...told.erasure, at: now } }],
      [logged({ erasedAt: null }), { id, erasure: { ...told.erasure, at: now } }],
      [logged({ caller: 'a\0b' }), { id, erasure: { ...told.erasure, caller: null } }],
      [logged({ caller: 'a'.repeat(513) }), { id, erasure: { ...told.erasure, caller: null } }],
      [logged({ caller: 5 }), { id, erasure: { ...told.erasure, caller: null } }],
      [`stop again: ${id}`],
      [`stop again: ${id} x`],
      [`stop again: ${id} 2027-01-01T00:00:00Z`],
      ['stop again: x'],
      [''],
      ['{'],
      ['{"msg":"lead erased"}'],
      [`{"msg":"request","leadId":"${id}"}`],
      [`lead erased ${id}`],
      [`${id} ${id}`],
    ] as [string, object?, object?][]) {
      assert.deepEqual([parseErasure(text, now), parseStop(text, now)], [erasure, stop], text)
    }
  })
})
