import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxClients, WindowTable } from '../../src/limit/window-table.ts'

test('a window is known until it ends', () => {
  const table = new WindowTable()
  table.set('a', { used: 1, endsAtMs: 100 }, 0)
  assert.deepEqual(table.get('a', 99), { used: 1, endsAtMs: 100 })
  assert.equal(table.get('a', 100), undefined)
  assert.equal(table.get('b', 0), undefined)
})

test('windows that have ended are cleared as new ones come', () => {
  const table = new WindowTable()
  for (let i = 0; i < 1000; i++) table.set(`old ${i}`, { used: 1, endsAtMs: 100 + i }, 0)
  table.set('new', { used: 1, endsAtMs: 5000 }, 100 + 499)
  assert.equal(table.size, 501)
})

test('a key that is set again moves to the end of the order', () => {
  const table = new WindowTable()
  table.set('a', { used: 1, endsAtMs: 100 }, 0)
  table.set('b', { used: 1, endsAtMs: 150 }, 50)
  table.set('a', { used: 1, endsAtMs: 200 }, 100)
  table.set('c', { used: 1, endsAtMs: 300 }, 160)
  assert.equal(table.size, 2)
  assert.ok(table.get('a', 160))
})

test('a flood of addresses takes a bounded amount of memory, and the newest are known', () => {
  const table = new WindowTable()
  const flood = maxClients * 3
  for (let i = 0; i < flood; i++) table.set(`client ${i}`, { used: 1, endsAtMs: 60_000 }, 0)
  assert.equal(table.size, maxClients)
  assert.ok(table.get(`client ${flood - 1}`, 0))
  assert.ok(table.get(`client ${flood - maxClients}`, 0))
  assert.equal(table.get(`client ${flood - maxClients - 1}`, 0), undefined)
})
