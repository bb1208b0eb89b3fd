// The cost of reading with 100,000 leads, measured by the databases' plans instead of by time.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/store/open.ts'
import { readLeads as readPostgres, readFeed as readPostgresFeed } from '../../src/store/postgres/inbox.ts'
import { readLeads as readSqlite } from '../../src/store/sqlite/reader.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { sqliteBackend } from './sqlite/backend.ts'

const total = 100_000
const pageSize = 500

/** A node of an `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)`. */
interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Rows': number
  Plans?: PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

test('PostgreSQL: the last page of 100,000 leads costs as much as the first', {
  skip: skipWithoutEngine,
  timeout: 120_000,
}, async (t) => {
  const url = await postgresUrl()
  await migrate(url)
  const client = new pg.Client({ connectionString: url })
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
  await client.query('UPDATE leads SET personal = NULL WHERE position % 50 = 0')

  async function explainQuery(query: string, values: (number | string | null)[]): Promise<PlanNode> {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${query}`, values)
    return rows[0]['QUERY PLAN'][0].Plan
  }
  const explain = (after: number, filters: (string | null)[] = [null, null, null]) =>
    explainQuery(readPostgres, [after, pageSize, ...filters])
  const explainFeed = (after: number, kind: string | null = null) =>
    explainQuery(readPostgresFeed, [after, pageSize, 2_000_000, kind])
  const blocks = (plan: PlanNode) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  const indexes = (plan: PlanNode) => nodesOf(plan).flatMap((node) => node['Index Name'] ?? [])

  for (const statistics of ['without statistics', 'with statistics']) {
    await t.test(statistics, async () => {
      if (statistics === 'with statistics') await client.query('VACUUM ANALYZE')
      // What one page leaves in the cache is the same for both.
      await explain(0)
      const [first, last] = [await explain(0), await explain(total - pageSize)]
      for (const plan of [first, last]) {
        assert.equal(plan['Actual Rows'], pageSize)
        const kinds = nodesOf(plan).map((node) => node['Node Type'])
        assert.ok(!kinds.some((kind) => /Seq Scan|Hash|Bitmap/.test(kind)), kinds.join(', '))
        assert.deepEqual(new Set(indexes(plan)), new Set(['leads_pkey', 'changes_erased', 'changes_lead']))
      }
      t.diagnostic(`${statistics}: ${blocks(first)} blocks for the first page, ${blocks(last)} for the last`)
      assert.ok(blocks(last) <= blocks(first) * 1.1, `${blocks(first)} and ${blocks(last)} blocks`)
    })

    await t.test(`the feed, ${statistics}`, async () => {
      const pages = [await explainFeed(0), await explainFeed(total - pageSize), await explainFeed(total)]
      const costs = pages.map(blocks)
      t.diagnostic(`the feed ${statistics}: ${costs.join(', ')} blocks for a first, a middle and a last page`)
      for (const plan of pages) assert.equal(plan['Actual Rows'], pageSize)
      // Each change is joined with its lead.
      assert.ok(Math.max(...costs) < 10 * pageSize, costs.join(', '))
      assert.ok(blocks(await explainFeed(0, 'support')) < 10 * pageSize)
    })
  }

  for (const [title, filters] of [
    ['of the rarer kind', ['support', null, null]],
    ['of two hours', [null, '2026-03-11T00:00:00Z', '2026-03-11T02:00:00Z']],
  ] as const) {
    await t.test(`a listing ${title} does not read other leads`, async () => {
      const plan = await explain(0, [...filters])
      assert.ok(plan['Actual Rows'] > 0)
      t.diagnostic(`${title}: ${blocks(plan)} blocks for ${plan['Actual Rows']} of ${total} leads`)
      // Reading the leads themselves would take about 15,000.
      assert.ok(blocks(plan) < 1_500, `${blocks(plan)} blocks`)
    })
  }
  await client.end()
})

test('SQLite: the last page of 100,000 leads costs as much as the first', { timeout: 120_000 }, async (t) => {
  const url = await sqliteBackend.newUrl()
  await migrate(url)
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  database.exec(`
    BEGIN;
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${total})
    INSERT INTO leads (id, kind, received_at, personal, evidence)
    SELECT printf('0199e2f2-0000-7000-8000-%012x', n), 'quote', '2026-11-21T09:30:00.000Z', printf('%.500c', 'x'), printf('%.500c', 'y') FROM n;
    COMMIT`)

  const plan = database.prepare(`EXPLAIN QUERY PLAN ${readSqlite}`).all(0, pageSize, null, null, null)
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    [
      'SEARCH l USING INTEGER PRIMARY KEY (rowid>?)',
      'SEARCH erased USING INDEX changes_lead (lead_id=? AND what=?) LEFT-JOIN',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH changes USING COVERING INDEX changes_lead (lead_id=? AND what=?)',
    ],
  )
  const statement = database.prepare(readSqlite)
  const fastest = (after: number) =>
    Math.min(
      ...Array.from({ length: 30 }, () => {
        const startedMs = performance.now()
        assert.equal(statement.all(after, pageSize, null, null, null).length, pageSize)
        return performance.now() - startedMs
      }),
    )
  fastest(0)
  const [first, last] = [fastest(0), fastest(total - pageSize)]
  t.diagnostic(`${first.toFixed(2)} ms for the first page, ${last.toFixed(2)} ms for the last`)
  // The plan is the proof. This only shows that the position does not change the time by an order of magnitude.
  assert.ok(last < first * 4, `${first} and ${last} ms`)
  database.close()
})
