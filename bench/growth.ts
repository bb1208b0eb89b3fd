// How the CPU time of an operation grows with the number of stored leads, on both databases.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { post } from '../test/support/http.ts'
import { inboxClient } from '../test/support/service.ts'
import { type Backend, countCpu, runSql, type Server } from './servers.ts'
import { quote } from './workloads.ts'

/** CPU of an operation (service and PostgreSQL) with many leads ÷ with few, in each round. */
export type Growth = Record<string, number[]>

/** How often each operation is done, without the first third, in which its code is compiled. */
const repeats = 300

/** When the first copied lead was received, in seconds since the epoch. Each further one came a second later. */
const firstSecond = Date.UTC(2026, 0) / 1000

/** The client that sends everything. */
const client = '192.0.2.1'

/** How the two databases spell what copies need. `n` is the number of a lead. */
const spellings = {
  SQLite: {
    digits: "format('%08d', n)",
    id: "'0199e2f2-0000-7000-8000-' || format('%012x', n)",
    time: `strftime('%Y-%m-%dT%H:%M:%fZ', ${firstSecond} + n, 'unixepoch')`,
    hash: 'lower(hex(randomblob(16)))',
  },
  PostgreSQL: {
    digits: "lpad(n::text, 8, '0')",
    id: "('0199e2f2-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
    time: `to_timestamp(${firstSecond} + n)`,
    hash: 'gen_random_uuid()',
  },
}

type Place = Awaited<ReturnType<typeof createPlace>>

/** A new database. `databasePid`: its process, if it is not the service's own. */
async function createPlace(kind: keyof typeof spellings, name: string, postgres: Backend, directory: string) {
  if (kind === 'PostgreSQL') {
    await runSql(postgres.url, `CREATE DATABASE "${name}"`)
    const { href } = new URL(`/${name}`, postgres.url)
    return { url: href, databasePid: postgres.pid, run: (sql: string) => runSql(href, sql), ...spellings[kind] }
  }
  const path = join(directory, `${name}.sqlite`)
  const run = async (sql: string): Promise<object[]> => {
    using database = new DatabaseSync(path)
    return database.prepare(sql).all()
  }
  return { url: `sqlite:${path}`, databasePid: undefined, run, ...spellings[kind] }
}

const emailOf = (n: number) => quote.email.replace('00000000', String(n).padStart(8, '0'))

/** Adds copies of the first lead and of its claims, in the shape in which the service stores them. */
async function fill({ run, digits, id, time, hash }: Place, from: number, to: number) {
  const series = `WITH RECURSIVE series (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM series WHERE n < ${to})`
  await run(`${series} INSERT INTO leads (id, kind, received_at, personal, evidence, phone, email)
    SELECT ${id}, kind, ${time}, replace(replace(personal, phone, '20' || ${digits}), '00000000', ${digits}), evidence,
      '20' || ${digits}, replace(email, '00000000', ${digits})
    FROM (SELECT * FROM leads ORDER BY position LIMIT 1) first CROSS JOIN series`)
  await run(`${series} INSERT INTO claims (key, lead_id, received_at, ends_at, content)
    SELECT ${hash}, ${id}, ${time}, ends_at, ${hash} FROM (SELECT * FROM claims LIMIT 1) first CROSS JOIN series`)
}

/** Calls the inbox, which must answer with this many leads. */
async function call({ connectUrl }: Server, method: string, message: object, leads?: number): Promise<void> {
  const answer = await post(connectUrl, message, { path: `/leadintake.v1.LeadInboxService/${method}`, client })
  assert.equal(answer.status, 200, answer.text)
  assert.equal((answer.json.leads as unknown[] | undefined)?.length, leads)
}

async function submit({ publicUrl }: Server, n: number, status: number): Promise<void> {
  const answer = await post(publicUrl, { ...quote, email: emailOf(n) }, { client })
  assert.equal(answer.status, status, answer.text)
}

type Start = (databaseUrl: string) => Promise<Server>

/** Starts a server with `size` leads stored, and returns the CPU time of each operation in microseconds. */
async function measureRound(place: Place, size: number, round: number, start: Start): Promise<Record<string, number>> {
  const fresh = 10_000_000 + round * 10_000
  await using server = await start(place.url)
  const pids = [server.pid, ...(place.databasePid ? [place.databasePid] : [])]
  const times: Record<string, number> = {}

  const measure = async (what: string, work: (n: number) => Promise<unknown>) => {
    for (let n = 0; n < repeats / 3; n++) await work(n)
    const counters = pids.map(countCpu)
    for (let n = repeats / 3; n < repeats; n++) await work(n)
    times[what] = (counters.reduce((sum, read) => sum + read(), 0) * 1e6) / (repeats * (2 / 3))
  }
  // The people of this round, spread over all leads.
  const known = (n: number) => emailOf(1 + Math.floor(((n + round / 5) * (size - 1)) / repeats))
  const receivedAfter = new Date((firstSecond + size / 2) * 1000).toISOString()
  await measure('a submission', (n) => submit(server, fresh + 5_000 + n, 201))
  await measure('a duplicate', (n) => submit(server, fresh + 5_000 + n, 200))
  await measure('finding a person', (n) => call(server, 'ListLeads', { contact: known(n) }, 1))
  await measure('an opt-out', (n) => call(server, 'RecordOptOut', { contact: known(n) }))
  await measure('a page of 20 leads', () => call(server, 'ListLeads', { pageSize: 20, receivedAfter }, 20))
  await measure('a scrape', () => fetch(`${server.opsUrl}/metrics`).then((answer) => answer.text()))
  return times
}

/** Leads a second to one consumer that begins with the oldest lead. */
async function measureDrain(place: Place, size: number, start: Start): Promise<number> {
  await using server = await start(place.url)
  const total = Math.min(40_000, size)
  const startedMs = performance.now()
  let count = 0
  for await (const _ of inboxClient(server.internalUrl).watchLeads({})) if (++count === total) break
  return total / ((performance.now() - startedMs) / 1_000)
}

/** Measures both databases with few and with many leads, each round with new processes. */
export async function measureGrowth(
  postgres: Backend,
  directory: string,
  sizes: readonly [few: number, many: number],
  rounds: number,
  start: Start,
): Promise<{ growth: Growth; drain: number[] }> {
  const growth: Growth = {}
  const drain: number[] = []
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const places: Place[] = []
    for (const size of sizes) {
      const place = await createPlace(database, `growth ${size}`, postgres, directory)
      await using server = await start(place.url)
      await submit(server, 0, 201)
      await fill(place, 1, size - 1)
      if (place.databasePid) await place.run('VACUUM (ANALYZE, PARALLEL 0)')
      places.push(place)
    }
    const [few, many] = places as [Place, Place]
    if (database === 'SQLite')
      for (let round = 0; round < rounds; round++) drain.push(await measureDrain(many, sizes[1], start))
    for (let round = 0; round < rounds; round++) {
      const ofFew = await measureRound(few, sizes[0], round, start)
      const ofMany = await measureRound(many, sizes[1], round, start)
      for (const what of Object.keys(ofFew)) {
        const ratio = Number(ofMany[what]) / Number(ofFew[what])
        growth[`${database}: ${what}`] = [...(growth[`${database}: ${what}`] ?? []), ratio]
      }
    }
    console.log(`growth, ${database}`)
  }
  return { growth, drain }
}
