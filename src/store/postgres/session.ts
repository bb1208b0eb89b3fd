import { Socket } from 'node:net'
import { Client, DatabaseError, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg'
import { createDeadlines } from '../../deadline.ts'
import { StoreError } from '../error.ts'
import { type BinaryStatement, createBinarySender } from './binary-statement.ts'

/** Timeout for connecting, in milliseconds, TLS and login included. */
const connectMs = 1_000

/**
 * SQLSTATE classes and codes of a server that is unavailable, busy, full, read-only (a former primary) or shutting down
 * (PostgreSQL documentation, appendix A). The statement may succeed later, perhaps on another server. 26000 and 42P05
 * come from a pooler that sent a prepared statement to a different server connection.
 */
const transientStates = /^(08|53|58|57P0|57014|40001|40P01|55P03|25006|26000|42P05)/

/** Classes whose messages may quote row values: data exceptions, constraint violations, exceptions from triggers. */
const quotingStates = /^(22|23|P0)/

/**
 * Converts a driver error, without row values. An error that did not come from the server is a connection error:
 * transient.
 */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (error instanceof DatabaseError) {
    const { code = 'XX000', constraint, table, column, message } = error
    const about = quotingStates.test(code) ? [table, column, constraint].filter(Boolean).join(' ') : message
    return new StoreError(code, transientStates.test(code), `postgres: ${code} ${about}`.trimEnd())
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'connection_lost'
  return new StoreError(code, true, `postgres: ${code}`)
}

/** The statement timeout and the lock timeout, in milliseconds. 0: no limit. */
export interface SessionLimits {
  statementMs: number
  lockMs: number
}

/** A channel to LISTEN on while `wanted`. Notifications are missed only while there is no session. */
export interface Listening {
  channel: string
  /** When false, saves the server a wake-up and this process a message per commit. */
  readonly wanted: boolean
  onNotification(): void
}

export interface Session {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>
  readText(statement: BinaryStatement): Promise<string | null>
  client: Client
  /** Starts or stops listening, as currently wanted. Does nothing behind a pooler. */
  updateListening(): Promise<void>
  destroy(): void
}

/** A batch must see the claims of the batch that it has waited for, whatever the server's default is. */
export const beginReadCommitted = 'BEGIN ISOLATION LEVEL READ COMMITTED'

/**
 * The settings of a session, or of a transaction if `local`. An acknowledged lead must be on disk, so
 * `synchronous_commit = off` becomes `on`; stricter values are kept. Positions are read as float8, which PostgreSQL
 * rounds unless `extra_float_digits` is positive.
 */
function settings({ statementMs, lockMs }: SessionLimits, local: boolean): string {
  return `
    set_config('statement_timeout', '${statementMs}', ${local}), set_config('lock_timeout', '${lockMs}', ${local}),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, ${local}),
    set_config('extra_float_digits', '1', ${local})`
}

/**
 * Applies the settings and returns whether the connection goes straight to the server. A pooler such as PgBouncer
 * reports its own process ids and rejects settings at login, so they are set afterward. Behind a pooler nothing is set
 * here: in transaction mode, session settings would stay on the server connection and affect its next client.
 */
async function setUp(client: Client, limits: SessionLimits): Promise<boolean> {
  const { processID } = client as Client & { processID: number | null }
  const { rows } = await client.query<{ direct: boolean }>(
    `SELECT pid = $1 AS direct, CASE WHEN pid = $1 THEN (SELECT ARRAY[${settings(limits, false)},
       set_config('default_transaction_isolation', 'read committed', false)]) END
     FROM pg_backend_pid() AS pid`,
    [processID ?? 0],
  )
  return rows[0]?.direct === true
}

/**
 * The driver's own promise would keep a statement and its parameters alive until the next full garbage collection: it
 * assigns a function literal to a member, which V8 expects to live long (`scripts/young-functions.ts`).
 */
function runQuery<Row extends QueryResultRow>(client: Client, query: QueryConfig): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    client.query<Row>(query, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

/**
 * Runs statements through a pooler, where each transaction may use another server connection. Every statement gets a
 * transaction with its own settings, and none is prepared by name. Costs two extra round trips to the (nearby) pooler.
 */
function sendThroughPooler(
  client: Client,
  readText: Session['readText'],
  limits: SessionLimits,
): Pick<Session, 'query' | 'readText'> {
  const begin = `${beginReadCommitted}; SELECT ${settings(limits, true)}`
  async function inTransaction<T>(send: () => Promise<T>): Promise<T> {
    await client.query(begin)
    try {
      const result = await send()
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
  return {
    query: ({ name: _, ...query }) => inTransaction(() => runQuery(client, query)),
    readText: (statement) => inTransaction(() => readText({ ...statement, name: '' })),
  }
}

const connects = createDeadlines(connectMs)

/** Connects and logs in. Rejects with a transient `StoreError`. `onLost` is called when an open session is lost. */
export async function openSession(
  url: string,
  limits: SessionLimits,
  onLost: () => void,
  listening?: Listening,
): Promise<Session> {
  // With our own socket we can destroy the connection. The driver's `end()` waits for the server.
  const socket = new Socket()
  const client = new Client({
    connectionString: url,
    stream: () => socket,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: 'lead-intake',
  })
  client.on('error', onLost)
  const listen = async () => {
    if (listening !== undefined) await client.query(`${listening.wanted ? 'LISTEN' : 'UNLISTEN'} ${listening.channel}`)
  }
  const login = async () => {
    await client.connect()
    const isDirect = await setUp(client, limits)
    if (listening !== undefined && isDirect) {
      client.on('notification', listening.onNotification)
      if (listening.wanted) await listen()
    }
    return isDirect
  }
  try {
    const isDirect = await connects.race(
      login(),
      () => new StoreError('connect_timeout', true, 'postgres: connect_timeout'),
    )
    const readText = createBinarySender(client)
    return {
      client,
      ...(isDirect
        ? { query: (query) => runQuery(client, query), readText }
        : sendThroughPooler(client, readText, limits)),
      updateListening: async () => (isDirect ? await listen() : undefined),
      destroy: () => void socket.destroy(),
    }
  } catch (error) {
    socket.destroy()
    // A refused login (changed password, too many clients) is not the lead's fault, so it is always transient.
    const { code, message } = toStoreError(error)
    throw new StoreError(code, true, message)
  }
}
