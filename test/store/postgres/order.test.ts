import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openStore, type Store } from '../../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { makeLead, noon } from '../leads.ts'

/** Reads like the inbox: repeatedly whatever lies after the highest position so far, until nothing more comes. */
async function follow(client: pg.Client, writers: { done: boolean }): Promise<string[]> {
  const seen: string[] = []
  let position = '0'
  for (;;) {
    const last = writers.done
    const text = 'SELECT position, id FROM leads WHERE position > $1 ORDER BY position LIMIT 50'
    const { rows } = await client.query<{ position: string; id: string }>({ name: 'follow', text, values: [position] })
    if (last && rows.length === 0) return seen
    for (const row of rows) {
      seen.push(row.id)
      position = row.position
    }
  }
}

test('a reader that continues after its last position skips no lead while three replicas commit', {
  skip: skipWithoutEngine,
  timeout: 60_000,
}, async (t) => {
  const url = await postgresUrl()
  const stores = await Promise.all([1, 2, 3].map(() => openStore({ url })))
  const client = new pg.Client({ connectionString: url })
  t.after(() => Promise.all([client.end(), ...stores.map((store) => store.close())]))
  await client.connect()
  const writers = { done: false }
  const followed = follow(client, writers)
  let left = 6_000
  const write = async (index: number) => {
    while (left-- > 0) await stores[index % stores.length]?.submit(makeLead())
  }
  await Promise.all(Array.from({ length: 30 }, (_, index) => write(index)))
  writers.done = true
  const seen = await followed
  const { rows } = await client.query<{ id: string }>('SELECT id FROM leads ORDER BY position')
  assert.deepEqual(
    seen,
    rows.map(({ id }) => id),
  )
})

test('a follower skips no lead, erasure or stop while three replicas commit', {
  skip: skipWithoutEngine,
  timeout: 60_000,
}, async (t) => {
  const url = await postgresUrl()
  const stores = await Promise.all([1, 2, 3].map(() => openStore({ url })))
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const [first] = stores as [Store]
  const writers = { done: false }
  const seen: number[] = []
  async function followFeed() {
    let position = 0
    for (;;) {
      const last = writers.done
      const { entries, examined, more } = await first.inbox.readChanges(position, { rows: 50, bytes: 1_000_000 })
      seen.push(...entries.map((entry) => entry.position))
      // The reader continues after the last position examined, not after the last entry received.
      position = examined
      if (last && !more) return
      // Leaves the database time for the writers.
      if (entries.length === 0) await delay(2)
    }
  }
  const stop = {
    contactHash: 'a'.repeat(64),
    keyId: 'c'.repeat(16),
    channels: [],
    saidAt: new Date(noon).toISOString(),
    how: 'by phone',
    recordedAt: new Date(noon).toISOString(),
    caller: null,
  }
  const erasure = { at: stop.recordedAt, reason: 'request', caller: null } as const
  let left = 600
  const write = async (index: number) => {
    const store = stores[index % stores.length] as Store
    while (left > 0) {
      const turn = left--
      const lead = makeLead()
      await store.submit(lead)
      if (turn % 3 === 0) await store.inbox.erase(lead.id, erasure)
      if (turn % 3 === 1) await store.inbox.markStopped([lead.id], stop)
    }
  }
  const followed = followFeed()
  await Promise.all(Array.from({ length: 30 }, (_, index) => write(index)))
  writers.done = true
  await followed
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ position: number }>(
    'SELECT position::float8 AS position FROM (SELECT position FROM leads UNION ALL SELECT position FROM changes) feed ORDER BY 1',
  )
  await client.end()
  assert.equal(rows.length, 1_000)
  assert.deepEqual(
    seen,
    rows.map(({ position }) => position),
  )
})

test('only commits that store leads send a notification, one each', {
  skip: skipWithoutEngine,
}, async (t) => {
  const url = await postgresUrl()
  const store = await openStore({ url })
  const client = new pg.Client({ connectionString: url })
  t.after(() => Promise.all([client.end(), store.close()]))
  await client.connect()
  await client.query('LISTEN leads')
  let announced = 0
  client.on('notification', ({ channel }) => {
    assert.equal(channel, 'leads')
    announced++
  })
  await Promise.all([1, 2, 3].map(() => store.submit(makeLead({ words: 'same' }))))
  await store.submit(makeLead({ words: 'same' }))
  await store.submit(makeLead())
  // Notifications arrive before, or with, the answer to a later query.
  await client.query('SELECT 1')
  assert.equal(announced, 2)
})
