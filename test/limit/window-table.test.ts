import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maxClients, WindowTable } from '../../src/limit/window-table.ts'
import { assertLinear } from '../support/growth.ts'

test('a window is found until it ends', () => {
  const table = new WindowTable(100)
  table.set('a', { used: 1, endsAtMs: 100 }, 0)
  assert.deepEqual(table.get('a', 99), { used: 1, endsAtMs: 100 })
  assert.equal(table.get('a', 100), undefined)
  assert.equal(table.get('b', 0), undefined)
})

test("no window is forgotten before it ends, and a client's newest window counts", () => {
  const step = fc.record({ client: fc.nat(20), waitMs: fc.nat(150), lastsMs: fc.integer({ min: 1, max: 100 }) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const table = new WindowTable(100)
      const expected = new Map<string, number>()
      let nowMs = 0
      for (const { client, waitMs, lastsMs } of steps) {
        nowMs += waitMs
        for (const [key, endsAtMs] of expected) {
          assert.equal(table.get(key, nowMs)?.endsAtMs, endsAtMs > nowMs ? endsAtMs : undefined)
        }
        table.set(`${client}`, { used: 1, endsAtMs: nowMs + lastsMs }, nowMs)
        expected.set(`${client}`, nowMs + lastsMs)
      }
    }),
  )
})

test('expired windows are removed as new ones are added', () => {
  const table = new WindowTable(100)
  for (let i = 0; i < 1000; i++) table.set(`old ${i}`, { used: 1, endsAtMs: 100 }, 0)
  table.set('a', { used: 1, endsAtMs: 200 }, 100)
  table.set('b', { used: 1, endsAtMs: 300 }, 200)
  assert.equal(table.size, 2)
})

test('a flood of addresses takes bounded memory, and the newest are still known', () => {
  const table = new WindowTable(60_000)
  const flood = maxClients * 5
  for (let i = 0; i < flood; i++) table.set(`client ${i}`, { used: 1, endsAtMs: 60_000 }, 0)
  assert.ok(table.size <= maxClients)
  assert.ok(table.get(`client ${flood - 1}`, 0))
  assert.ok(table.get(`client ${flood - maxClients / 2}`, 0))
  assert.equal(table.get(`client ${flood - maxClients - 1}`, 0), undefined)
})

test('a flood of twice as many addresses takes twice the time', () => {
  const fill = (clients: readonly string[]) => {
    const table = new WindowTable(60_000)
    for (const client of clients) table.set(client, { used: 1, endsAtMs: 60_000 }, 0)
  }
  const make = (count: number) => Array.from({ length: count }, (_, index) => `client ${index}`)
  assertLinear(fill, make, maxClients, 'a flood')
})
