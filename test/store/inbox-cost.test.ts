// The cost of each statement of the inbox with 100,000 leads, measured by the databases' plans instead of by time.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import type { InboxStore, NewOptOut, StoredLead } from '../../src/inbox/stored-lead.ts'
import type { Database, Statement } from '../../src/store/database.ts'
import { createInboxStore } from '../../src/store/inbox-store.ts'
import { migrate } from '../../src/store/open.ts'
import { readFeed, readLeads } from '../../src/store/queries.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { sqliteBackend } from './backends.ts'
import { byRequest, iso, makeLead, noon, optOut, storedLead } from './leads.ts'

const total = 100_000
const pageSize = 500

/** A node of an `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)`. */
interface PlanNode {
  'Node Type': string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Rows': number
  'Relation Name'?: string
  Plans?: PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

const blocks = (plan: PlanNode) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** A person with three leads. */
const person = { field: 'phone', value: '2020000777' } as const
const newOptOut = { ...optOut, contact: person, recordedAt: '2027-01-01T00:00:00.000Z' }
const byAddress: NewOptOut = { ...newOptOut, contact: { field: 'email', value: 'p777@example.com' } }

/** What the contact columns serve, and how many leads or hashes each is about. */
const contactWork = (
  inbox: InboxStore,
  leads: readonly StoredLead[],
): [what: string, about: number, work: () => Promise<unknown>][] => [
  ["a person's leads", 3, () => inbox.readLeads(0, 51, { contact: person })],
  [
    "a page's opt-outs",
    200,
    () => inbox.findOptOuts(leads.map((_, n) => ({ field: 'phone', value: `202${`${n}`.padStart(7, '0')}` }))),
  ],
  ['an opt-out', 3, () => inbox.recordOptOut(newOptOut)],
  ['an opt-out by address', 3, () => inbox.recordOptOut(byAddress)],
  ['an erasure with an opt-out', 6, () => inbox.erase([String(leads[0]?.id)], byRequest, [newOptOut, byAddress])],
  [
    'a batch of retention',
    leads.length,
    () =>
      inbox.erase(
        leads.map(({ id }) => id),
        { ...byRequest, reason: 'retention' },
      ),
  ],
]

/** Passes each statement of the inbox to `look`, and returns its rows of a read, if it has any. */
function inboxThat(look: (statement: Statement) => Promise<unknown[] | undefined>) {
  const read = async (statement: Statement) => (await look(statement)) ?? []
  const change = async (statements: readonly Statement[]) => {
    for (const statement of statements) await look(statement)
    return []
  }
  return createInboxStore({ read, change, onReconnected: () => () => {} } as unknown as Database)
}

suite('PostgreSQL: 100,000 leads', { skip: skipWithoutEngine, timeout: 120_000 }, () => {
  let client: pg.Client
  before(async () => {
    const url = await postgresUrl()
    await migrate(url)
    // As the service's own sessions read them.
    pg.types.setTypeParser(pg.types.builtins.INT8, Number)
    pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString())
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
    // Autovacuum makes these before long. An installation that was just restored lacks those of the large tables.
    await client.query('ANALYZE claims, opt_outs')
  })
  after(() => client.end())

  async function explain({ text, values = [] }: Statement): Promise<PlanNode> {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
    return rows[0]['QUERY PLAN'][0].Plan
  }
  const explainLeads = (position: number) => explain(readLeads(position, pageSize, {}))
  const explainFeed = (position: number, ...kind: string[]) =>
    explain({ text: readFeed(kind.length > 0), values: [position, pageSize, 2_000_000, ...kind] })

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

    test(`a person's leads and opt-outs and an erasure cost no more than their own rows, ${statistics}`, async () => {
      const leads = Array.from({ length: 200 }, (_, n) =>
        storedLead({ ...makeLead(), id: `0199e2f2-0000-7000-8000-${(2 * n + 1).toString(16).padStart(12, '0')}` }),
      )
      let plans: PlanNode[] = []
      const inbox = inboxThat(async (statement) => void plans.push(await explain(statement)))
      for (const [what, about, work] of contactWork(inbox, leads)) {
        plans = []
        await client.query('BEGIN')
        await work()
        await client.query('ROLLBACK')
        const scans = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Seq Scan')
        assert.deepEqual([what, scans.map((node) => node['Relation Name'])], [what, []])
        const read = plans.reduce((sum, plan) => sum + blocks(plan), 0)
        assert.ok(read < 50 * about, `${what}: ${read} blocks`)
      }
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
      const inbox = inboxThat(async (statement) => {
        read += blocks(await explain(statement))
        return (await client.query(statement.text, [...(statement.values ?? [])])).rows
      })
      const leads = await inbox.readLeads(0, expected || 50, filter)
      assert.equal(leads.length, expected)
      // Reading the leads themselves would take about 15,000.
      assert.ok(read < 1_500, `${read} blocks`)
    })
  }
})

test('SQLite: no statement of the inbox reads a table from its start', async () => {
  const url = await sqliteBackend.newUrl()
  await migrate(url)
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  for (const name of ['nextval', 'gen_random_uuid']) database.function(name, { varargs: true }, () => null)
  const plans: string[] = []
  const inbox = inboxThat(async ({ text }) => {
    // The lists of PostgreSQL are lists of one here.
    const plan = text.replaceAll('$', '?').replaceAll(/= ANY \((?:ARRAY)?(.+)\)/g, 'IN ($1)')
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${plan}`).all()
    plans.push(...steps.map(({ detail }) => String(detail)))
  })
  await inbox.readLeads(0, pageSize)
  await inbox.readLeads(0, pageSize, { receivedAfter: iso(noon), receivedBefore: iso(noon + 1), contact: person })
  await inbox.readAges(0, pageSize)
  for (const [, , work] of contactWork(inbox, [storedLead()])) await work()
  database.close()
  const scans = plans.filter((detail) => /^SCAN (leads|changes|claims|optOuts)/.test(detail))
  assert.deepEqual([scans, plans.length > 50], [[], true])
})
