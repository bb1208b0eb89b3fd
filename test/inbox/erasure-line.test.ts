import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseErasure, parseStop } from '../../src/inbox/erasure-line.ts'

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
  const others = [`stop again: ${id}`, `stop again: ${id} x`, `stop again: ${id} 2027-01-01T00:00:00Z`, `stop again: x`]
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
