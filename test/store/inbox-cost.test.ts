// The cost of each statement of the inbox with 100,000 leads, measured by the plans of PostgreSQL instead of by time.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import type { Contact, InboxStore, LeadFilter, NewOptOut } from '../../src/inbox/stored-lead.ts'
import type { Database, Statement } from '../../src/store/database.ts'
import { createInboxStore } from '../../src/store/inbox-store.ts'
import { migrate } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { byRequest, optOut } from './leads.ts'

const total = 100_000
const pageSize = 500
const page = { rows: pageSize, bytes: 2_000_000 }

/** A person with three leads. */
const person = { field: 'phone', value: '2020000777' } as const
const newOptOut = { ...optOut, contact: person, recordedAt: '2027-01-01T00:00:00.000Z' }
const byAddress: NewOptOut = { ...newOptOut, contact: { field: 'email', value: 'p777@example.com' } }
const phones = Array.from({ length: 200 }, (_, n): Contact => ({ field: 'phone', value: `${2_020_000_000 + n}` }))

const time = '2026-02-11T00:00:00.000Z'
const filters: LeadFilter[] = [
  { kind: 'support' },
  { receivedAfter: time, receivedBefore: '2026-02-11T02:00:00.000Z' },
  { receivedAfter: '2026-03-11T09:41:00.000Z' },
  { receivedBefore: '2025-12-31T00:00:00.000Z' },
  { receivedAfter: '2027-01-01T00:00:00.000Z' },
]

type Work = [what: string, blocksMax: number, ask: (inbox: InboxStore, ids: readonly string[]) => unknown]

/** What is asked of the inbox, and how many blocks of a table that may read: 50 for each row that it is about. */
const work: Work[] = [
  ...[0, total - pageSize, total].flatMap((after): Work[] => [
    [`leads after ${after}`, 25 * pageSize, (inbox) => inbox.readLeads(after, pageSize)],
    [`the feed after ${after}`, 25 * pageSize, (inbox) => inbox.readFeed(after, page)],
  ]),
  ['the feed of the rarer kind', 13 * pageSize, (inbox) => inbox.readFeed(0, page, 'support')],
  ...filters.map((filter): Work => [JSON.stringify(filter), 1_500, (inbox) => inbox.readLeads(0, 50, filter)]),
  ['the start at a time', 1_500, (inbox) => inbox.positionBefore(time)],
  ['a page of retention', 50 * pageSize, (inbox) => inbox.readAges(0, pageSize)],
  ["a person's leads", 150, (inbox) => inbox.readLeads(0, 51, { contact: person })],
  ["a page's opt-outs", 10_000, (inbox) => inbox.findOptOuts(phones)],
  ['an opt-out', 150, (inbox) => inbox.recordOptOut(newOptOut)],
  ['an opt-out by address', 150, (inbox) => inbox.recordOptOut(byAddress)],
  ['an erasure with opt-outs', 300, (inbox, ids) => inbox.erase(ids.slice(0, 1), byRequest, [newOptOut, byAddress])],
  ['an erasure of many', 10_000, (inbox, ids) => inbox.erase(ids, byRequest)],
]

/** Passes each statement of the inbox to `look`. */
function inboxThat(look: (statement: Statement) => unknown) {
  const change = async (statements: readonly Statement[]) => {
    for (const statement of statements) await look(statement)
    return []
  }
  return createInboxStore({ read: (statement: Statement) => change([statement]), change } as unknown as Database)
}

suite('PostgreSQL: 100,000 leads', { skip: skipWithoutEngine, timeout: 120_000 }, () => {
  let client: pg.Client
  before(async () => {
    const url = await postgresUrl()
    await migrate(url)
    client = new pg.Client({ connectionString: url })
    await client.connect()
    // Three leads a person, and one person in a thousand is known by their address alone.
    await client.query(`
      INSERT INTO leads (id, kind, received_at, personal, evidence, phone, email)
      SELECT ('0199e2f2-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, CASE WHEN n % 1000 = 0 THEN 'support' ELSE 'quote' END,
        '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', repeat('x', 500), repeat('y', 500),
        '202' || lpad((n % 33333)::text, 7, '0'), 'p' || n % 33333 || '@example.com'
      FROM generate_series(1, ${total}) n`)
    // Every 50th lead is erased, every tenth shows an opt-out, and all changes come after the leads.
    await client.query(`
      INSERT INTO changes (lead_id, kind, what, at, reason, opted_out_at)
      SELECT id, kind, CASE WHEN position % 50 = 0 THEN 'erased' ELSE 'opted_out' END, received_at + interval '1 day', 'request',
        CASE WHEN position % 50 > 0 THEN received_at + interval '1 day' END
      FROM leads WHERE position % 10 = 0 ORDER BY position`)
    await client.query('UPDATE leads SET personal = NULL, phone = NULL, email = NULL WHERE position % 50 = 0')
    // A window for duplicates without an end, so that each lead has claims.
    await client.query(`
      INSERT INTO claims (key, lead_id, received_at, ends_at, content)
      SELECT md5(n || id::text)::uuid, id, received_at, received_at + interval '9 years', md5(id::text || 1)::uuid
      FROM leads, generate_series(1, 2) n WHERE personal IS NOT NULL`)
    await client.query(`
      INSERT INTO opt_outs (id, contact, recorded_at, channels, said_at, how)
      SELECT gen_random_uuid(), '202' || lpad((n * 3)::text, 7, '0'), now(), '', now(), 'wrote' FROM generate_series(1, ${total}) n`)
    // Autovacuum makes these before long. A database that was just restored has none for the large tables.
    await client.query('ANALYZE claims, opt_outs')
  })
  after(() => client.end())

  for (const statistics of ['without statistics', 'with statistics']) {
    test(`each call of the inbox reads only the rows that it is about, ${statistics}`, async () => {
      if (statistics === 'with statistics') await client.query('VACUUM ANALYZE')
      const { rows } = await client.query('SELECT id FROM leads WHERE personal IS NOT NULL ORDER BY position LIMIT 200')
      const ids = rows.map(({ id }) => String(id))
      let scans: string[] = []
      let blocks = 0
      const inbox = inboxThat(async ({ text, values = [] }) => {
        const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
        const { Plan: plan } = rows[0]['QUERY PLAN'][0]
        // The blocks of a node include those of the nodes in it.
        blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
        scans.push(...(JSON.stringify(plan).match(/"Seq Scan".*?"Relation Name":"\w+"/g) ?? []))
      })
      for (const [what, blocksMax, ask] of work) {
        scans = []
        blocks = 0
        await client.query('BEGIN')
        await ask(inbox, ids)
        await client.query('ROLLBACK')
        assert.deepEqual([what, scans], [what, []])
        assert.ok(blocks < blocksMax, `${what}: ${blocks} blocks`)
      }
    })
  }
})
