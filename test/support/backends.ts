import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import pg from 'pg'

export const redisImage = process.env.REDIS_IMAGE ?? 'redis:8-alpine'
export const postgresImage = process.env.POSTGRES_IMAGE ?? 'postgres:17-alpine'

export const redisVariable = 'LEAD_TESTS_REDIS_URL'
export const postgresVariable = 'LEAD_TESTS_POSTGRES_URL'
export const engineVariable = 'LEAD_TESTS_ENGINE'

/** The path of the bundle from the global setup: the file that `npm start` and the image run. */
export const bundleVariable = 'LEAD_TESTS_BUNDLE'

/** For a test's `skip`: the reason when there is no container engine, otherwise false. Always false in CI. */
export const skipWithoutEngine: string | false =
  process.env[engineVariable] === 'missing' ? 'needs a container engine (Docker): see CONTRIBUTING.md' : false

/** The URL of an empty Redis database that no other test uses. */
export async function redisUrl(): Promise<string> {
  const server = new URL(serverUrl(redisVariable))
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
  const server = new URL(serverUrl(postgresVariable))
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

function serverUrl(variable: string): string {
  const url = process.env[variable]
  if (!url)
    throw new Error(`${variable} is not set: run the tests by \`npm test\`, whose global set-up starts the servers`)
  return url
}
