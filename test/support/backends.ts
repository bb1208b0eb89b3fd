import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'

export const redisImage = process.env.REDIS_IMAGE ?? 'redis:8-alpine'
export const postgresImage = process.env.POSTGRES_IMAGE ?? 'postgres:17-alpine'

/** What the global setup tells the test files. */
export const variables = {
  redis: 'LEAD_TESTS_REDIS_URL',
  postgres: 'LEAD_TESTS_POSTGRES_URL',
  engine: 'LEAD_TESTS_ENGINE',
  /** The path of the bundle: the file that `npm start` and the image run. */
  bundle: 'LEAD_TESTS_BUNDLE',
}

/** For a test's `skip`: the reason when there is no container engine, otherwise false. Always false in CI. */
export const skipWithoutEngine: string | false =
  process.env[variables.engine] === 'missing' ? 'needs a container engine (Docker): see CONTRIBUTING.md' : false

/** The URL of an empty Redis database that no other test uses. */
export async function redisUrl(): Promise<string> {
  const server = new URL(serverUrl(variables.redis))
  const client = new Redis(server.href)
  try {
    // Database 0 holds the counter. A Redis provided by the caller may have only 16 databases.
    const number = await client.incr('lead-tests:databases')
    server.pathname = `/${number}`
    await client.select(number)
    await client.flushdb()
    return server.href
  } finally {
    client.disconnect()
  }
}

/** The URL of an empty PostgreSQL database that no other test uses, created with these options. */
export async function postgresUrl(options = ''): Promise<string> {
  const server = new URL(serverUrl(variables.postgres))
  const name = `lead_tests_${randomUUID().replaceAll('-', '')}`
  await queryPostgres(server.href, `CREATE DATABASE ${name} ${options}`)
  server.pathname = `/${name}`
  return server.href
}

/** The rows of one query. */
export async function queryPostgres<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const serverUrl = (variable: string) =>
  process.env[variable] ??
  assert.fail(`${variable} is not set: run the tests by \`npm test\`, which starts the servers`)

const query = 'SELECT id, personal, evidence FROM leads ORDER BY position'

type Contents = Awaited<ReturnType<typeof readContents>>
type Row = { id: string; personal: string | null; evidence: string }

/** What a store contains, read without the service's code. Evidence with the hash of its personal part proves it. */
export async function readContents(databaseUrl: string) {
  let rows: Row[]
  if (databaseUrl.startsWith('sqlite:')) {
    using database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
    rows = database.prepare(query).all() as Row[]
  } else rows = await queryPostgres<Row>(databaseUrl, query)
  const isProven = ({ personal, evidence }: Row) =>
    personal === null || JSON.parse(evidence).personalSha256 === hash('sha256', personal)
  const contents = rows
    .flatMap(({ personal }) => personal ?? [])
    .map((text) => JSON.stringify(JSON.parse(text).content))
  return {
    leads: rows.map(({ id }) => id),
    proven: rows.filter(isProven).map(({ id }) => id),
    /** How many leads have distinct content. */
    distinct: new Set(contents).size,
  }
}

/** Checks that each acknowledged lead is stored once, and that every stored lead has its evidence. */
export function assertStored(acknowledged: readonly string[], { leads, proven }: Contents): void {
  const stored = new Set(leads)
  assert.equal(stored.size, leads.length)
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'an id was returned twice')
  const lost = acknowledged.filter((id) => !stored.has(id))
  assert.deepEqual(lost, [], 'acknowledged, but not stored')
  assert.deepEqual(new Set(proven), stored, 'every lead has its evidence')
}
