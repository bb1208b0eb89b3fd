import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseErasure, parseStop } from '../../src/inbox/erasure-line.ts'
import { createRetention } from '../../src/inbox/retention.ts'
import { noon } from '../store/leads.ts'
import { forever, setUpInbox } from './inbox-fixture.ts'

const dayMs = 86_400_000

suite('retention', () => {
  test('erases what is too old, to the millisecond, and records when and why', async () => {
    const { store } = await setUpInbox(3)
    const nowMs = noon + 30 * dayMs + 2
    assert.equal(await createRetention({ store, now: () => nowMs, days: 30 })(forever), 1)
    assert.deepEqual(
      (await store.readAfter(0, 9)).map(({ erasure }) => erasure),
      [{ at: '2026-12-21T12:00:00.002Z', reason: 'retention', caller: null }, null, null],
    )
    assert.equal(await createRetention({ store, now: () => nowMs + 1, days: 30 })(forever), 1)
  })

  test('works in small batches until nothing is left, or the service stops', async () => {
    const { store } = await setUpInbox(500)
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
      now: () => noon + 2 * dayMs,
      days: 1,
    })
    assert.equal(await retain(stopping.signal), 200)
    assert.equal(await retain(forever), 300)
    assert.deepEqual(sizes, [200, 200, 100])
  })
})

const id = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'
const now = '2026-11-22T08:00:00.000Z'
const line = {
  level: 30,
  leadId: id,
  erasedAt: '2026-11-20T08:00:00.000Z',
  reason: 'retention',
  caller: 'crm',
  msg: 'lead erased',
}
const told = { id, erasure: { at: '2026-11-20T08:00:00.000Z', reason: 'retention', caller: 'crm' } }

suite('lines that tell of erasures and stops', () => {
  test('parses an erasure from a log line, and from an id alone', () => {
    assert.deepEqual(parseErasure(JSON.stringify(line), now), told)
    assert.deepEqual(parseErasure(`2026-11-20 pod-1 ${JSON.stringify(line)}\r`, now), told)
    const byId = { id, erasure: { at: now, reason: 'request', caller: null } }
    assert.deepEqual(parseErasure(id, now), byId)
    assert.deepEqual(parseErasure(`  ${id.toUpperCase()} `, now), byId)
  })

  test("parses consumers' lines, with any prefix and precision", () => {
    const byId = { id, erasure: { at: now, reason: 'request', caller: null } }
    assert.deepEqual(parseErasure(`2026-11-20T08:00:00Z erase again: ${id}`, now), byId)
    for (const time of ['2026-11-20T08:00:00Z', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000000Z'])
      assert.deepEqual(parseStop(`crm stop again: ${id} ${time}`, now), { id, at: '2026-11-20T08:00:00.000Z' })
    const others = [
      `stop again: ${id}`,
      `stop again: ${id} x`,
      `stop again: ${id} 2027-01-01T00:00:00Z`,
      `stop again: x`,
    ]
    for (const other of [...others, `erase again: ${id}`, id]) assert.equal(parseStop(other, now), undefined, other)
    assert.equal(parseErasure(`stop again: ${id} 2026-11-20T08:00:00Z`, now), undefined)
  })

  test('takes nothing from a line that the service did not write and a database may refuse', () => {
    const parsed = (members: object) => parseErasure(JSON.stringify({ ...line, ...members }), now)?.erasure
    for (const erasedAt of [
      '1',
      '2026',
      '2026-02-30T08:00:00.000Z',
      '0000-01-01T00:00:00.000Z',
      '2026-11-22T08:00:00.001Z',
      '+275760-09-13T00:00:00.000Z',
      5,
      null,
    ]) {
      assert.equal(parsed({ erasedAt })?.at, now, String(erasedAt))
    }
    for (const caller of ['', 'a\0b', '\ud800', 'line\nbreak', 'a'.repeat(513), 5]) {
      assert.equal(parsed({ caller })?.caller, null, String(caller))
    }
  })

  test('finds no erasure in any other line', () => {
    const others = [
      '',
      '{',
      '{"msg":"lead erased"}',
      `{"msg":"request","leadId":"${id}"}`,
      `lead erased ${id}`,
      `${id} ${id}`,
    ]
    for (const other of others) assert.equal(parseErasure(other, now), undefined, other)
  })
})
