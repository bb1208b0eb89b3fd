import { Socket } from 'node:net'
import { Client, DatabaseError, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg'
import { createDeadlines } from '../../deadline.ts'
import { StoreError } from '../error.ts'

/** How long a connection may take to be made, TLS and login included. */
const connectMs = 1_000

/**
 * SQLSTATE classes and codes of a server that is away, busy, full, read-only (a former primary) or told to give up
 * (PostgreSQL documentation, appendix A). The same statement may succeed later, perhaps on another server. 26000 and
 * 42P05 come from a pooler that has led a prepared statement to another server connection.
 */
const transientStates = /^(08|53|58|57P0|57014|40001|40P01|55P03|25006|26000|42P05)/

/** Classes whose messages may quote a row's values: data exceptions, violated constraints, exceptions of triggers. */
const quotingStates = /^(22|23|P0)/

/** What the driver says, without row values. What does not come from the server comes from the way there: transient. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (error instanceof DatabaseError) {
    const { code = 'XX000', constraint, table, message } = error
    const about = quotingStates.test(code) ? [table, constraint].filter(Boolean).join(' ') : message
    return new StoreError(code, transientStates.test(code), `postgres: ${code} ${about}`.trimEnd())
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'connection_lost'
  return new StoreError(code, true, `postgres: ${code}`)
}

/** How long the server may take for a statement, and how long a statement may wait for a lock. Milliseconds; 0: no limit. */
export interface SessionLimits {
  statementMs: number
  lockMs: number
}

/** What a session listens for, from its making on: a notification is missed only while there is none. */
export interface Listening {
  channel: string
  onNotification(): void
}

export interface Session {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>
  client: Client
  destroy(): void
}

/**
 * The settings of a session, or with `local` of a transaction. An acknowledged lead is on disk, whatever the server's
 * default: a stricter `synchronous_commit` than `on` is kept.
 */
function settings({ statementMs, lockMs }: SessionLimits, local: boolean): string {
  return `
    set_config('statement_timeout', '${statementMs}', ${local}), set_config('lock_timeout', '${lockMs}', ${local}),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, ${local})`
}

/**
 * Sets a session up, and returns whether the server itself was reached. A pooler (PgBouncer and its like) gives its
 * clients process numbers of its own, and refuses settings in the login, so that they come after it. Behind one nothing is
 * set here: in transaction mode the settings would stay with the server connection, for whoever gets it next.
 */
async function setUp(client: Client, limits: SessionLimits): Promise<boolean> {
  const { processID } = client as Client & { processID: number | null }
  const { rows } = await client.query<{ direct: boolean }>(
    `SELECT pid = $1 AS direct, CASE WHEN pid = $1 THEN (SELECT ARRAY[${settings(limits, false)}]) END
     FROM pg_backend_pid() AS pid`,
    [processID ?? 0],
  )
  return rows[0]?.direct === true
}

/**
 * Runs statements where each transaction may meet another server connection: every statement in a transaction with settings
 * of its own, and none prepared by name. It costs two round trips more, to a pooler that is near.
 */
function queryThroughPooler(client: Client, limits: SessionLimits): Session['query'] {
  const begin = `BEGIN; SELECT ${settings(limits, true)}`
  return async ({ name: _, ...query }: QueryConfig) => {
    await client.query(begin)
    try {
      const result = await client.query<never>(query)
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
}

const connects = createDeadlines(connectMs)

/** Connects and logs in. Rejects with a transient `StoreError`. `onLost` hears of the end of a session that was made. */
export async function openSession(
  url: string,
  limits: SessionLimits,
  onLost: () => void,
  listening?: Listening,
): Promise<Session> {
  // A socket of our own can be destroyed: the driver's way to end a connection waits for the server.
  const socket = new Socket()
  const client = new Client({
    connectionString: url,
    stream: () => socket,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: 'lead-intake',
  })
  client.on('error', onLost)
  const login = async () => {
    await client.connect()
    const isDirect = await setUp(client, limits)
    if (listening !== undefined && isDirect) {
      client.on('notification', listening.onNotification)
      await client.query(`LISTEN ${listening.channel}`)
    }
    return isDirect
  }
  try {
    const isDirect = await connects.race(
      login(),
      () => new StoreError('connect_timeout', true, 'postgres: connect_timeout'),
    )
    return {
      client,
      query: isDirect ? (query) => client.query(query) : queryThroughPooler(client, limits),
      destroy: () => void socket.destroy(),
    }
  } catch (error) {
    socket.destroy()
    // Whatever refuses a login (a password that is being changed, too many clients) says nothing of the lead at hand.
    const { code, message } = toStoreError(error)
    throw new StoreError(code, true, message)
  }
}
