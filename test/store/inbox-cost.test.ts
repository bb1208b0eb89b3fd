// The cost of reading with 100,000 leads, measured by the databases' plans instead of by time.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import type { Database, Statement } from '../../src/store/database.ts'
import { createInboxStore } from '../../src/store/inbox-store.ts'
import { migrate } from '../../src/store/open.ts'
import { readFeed, readLeads } from '../../src/store/queries.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { sqliteBackend } from './backends.ts'

const total = 100_000
const pageSize = 500

/** A node of an `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)`. */
interface PlanNode {
  'Node Type': string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Rows': number
  Plans?: PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

const blocks = (plan: PlanNode) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** As the service's own sessions read them. */
const parsers: Record<number, (text: string) => unknown> = { 20: Number, 1184: (text) => new Date(text).toISOString() }

suite('PostgreSQL: reading 100,000 leads', { skip: skipWithoutEngine, timeout: 120_000 }, () => {
  let client: pg.Client
  before(async () => {
    const url = await postgresUrl()
    await migrate(url)
    const getTypeParser = ((oid: number) =>
      parsers[oid] ?? pg.types.getTypeParser(oid)) as typeof pg.types.getTypeParser
    client = new pg.Client({ connectionString: url, types: { getTypeParser } })
    await client.connect()
    await client.query(`
      INSERT INTO leads (id, kind, received_at, personal, evidence)
      SELECT ('0199e2f2-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, CASE WHEN n % 1000 = 0 THEN 'support' ELSE 'quote' END,
        '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', repeat('x', 500), repeat('y', 500)
      FROM generate_series(1, ${total}) n`)
    // Every 50th lead is erased, and all changes come after the leads.
    await client.query(`
      INSERT INTO changes (lead_id, kind, what, at, reason)
      SELECT id, kind, 'erased', received_at + interval '1 day', 'request' FROM leads WHERE position % 50 = 0 ORDER BY position`)
    await client.query('UPDATE leads SET personal = NULL, phone = NULL, email = NULL WHERE position % 50 = 0')
  })
  after(() => client.end())

  async function explain({ text, values = [] }: Statement): Promise<PlanNode> {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
    return rows[0]['QUERY PLAN'][0].Plan
  }
  const explainLeads = (position: number) =>
    explain({ text: readLeads({}).text, values: [position, Number.MAX_SAFE_INTEGER, pageSize] })
  const explainFeed = (position: number, kind?: string) =>
    explain({
      text: readFeed(kind !== undefined),
      values: [position, pageSize, 2_000_000, ...(kind === undefined ? [] : [kind])],
    })

  for (const statistics of ['without statistics', 'with statistics']) {
    test(`the last page costs as much as the first, ${statistics}`, async () => {
      if (statistics === 'with statistics') await client.query('VACUUM ANALYZE')
      // What one page leaves in the cache is the same for both.
      await explainLeads(0)
      const [first, last] = [await explainLeads(0), await explainLeads(total - pageSize)]
      for (const plan of [first, last]) {
        assert.equal(plan['Actual Rows'], pageSize)
        const kinds = nodesOf(plan).map((node) => node['Node Type'])
        assert.ok(!kinds.some((kind) => /Seq Scan|Hash|Bitmap/.test(kind)), kinds.join(', '))
      }
      assert.ok(blocks(last) <= blocks(first) * 1.1, `${blocks(first)} and ${blocks(last)} blocks`)
      for (const position of [0, total - pageSize, total]) {
        const plan = await explainFeed(position)
        assert.equal(plan['Actual Rows'], pageSize)
        // Each entry is joined with its lead, and an erased lead with its erasure four times.
        assert.ok(blocks(plan) < 20 * pageSize, `${blocks(plan)} blocks`)
      }
      assert.ok(blocks(await explainFeed(0, 'support')) < 10 * pageSize)
    })
  }

  for (const [title, filter, expected] of [
    ['of the rarer kind', { kind: 'support' }, 50],
    ['of two hours', { receivedAfter: '2026-02-11T00:00:00.000Z', receivedBefore: '2026-02-11T02:00:00.000Z' }, 50],
    ['of the last hour', { receivedAfter: '2026-03-11T09:41:00.000Z' }, 60],
    ['before all leads', { receivedBefore: '2025-12-31T00:00:00.000Z' }, 0],
    ['after all leads', { receivedAfter: '2027-01-01T00:00:00.000Z' }, 0],
  ] as const) {
    test(`a listing ${title} does not read other leads`, async () => {
      let read = 0
      const database = {
        read: async (statement: Statement) => {
          read += blocks(await explain(statement))
          return (await client.query(statement.text, [...(statement.values ?? [])])).rows
        },
      } as unknown as Database
      const inbox = createInboxStore(database)
      const leads = await inbox.readLeads(await inbox.rangeOf(filter), expected || 50, filter)
      assert.equal(leads.length, expected)
      // Reading the leads themselves would take about 15,000.
      assert.ok(read < 1_500, `${read} blocks`)
    })
  }
})

test('SQLite: no page of leads reads the table from its start, or sorts', async () => {
  const url = await sqliteBackend.newUrl()
  await migrate(url)
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  const text = readLeads({}).text.replaceAll('$', '?')
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(0, total, pageSize)
  for (const { detail } of plan)
    assert.match(String(detail), /^(SEARCH|CO-ROUTINE l|SCAN l|CORRELATED SCALAR SUBQUERY)/)
  database.close()
})
