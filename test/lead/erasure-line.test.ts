import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseErasure } from '../../src/lead/erasure-line.ts'

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

for (const other of [
  '',
  '{',
  `{"msg":"lead erased"}`,
  `{"msg":"request","leadId":"${id}"}`,
  `lead erased ${id}`,
  `${id} ${id}`,
]) {
  test(`finds no erasure in ${JSON.stringify(other)}`, () => {
    assert.equal(parseErasure(other, now), undefined)
  })
}
