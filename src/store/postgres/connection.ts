import { Socket } from 'node:net'
import { Client, DatabaseError, type QueryConfig, type QueryResultRow } from 'pg'
import { createDeadlines } from '../../deadline.ts'
import { StoreError } from '../error.ts'

/** How long a connection may take to be made, TLS and login included. */
const connectMs = 1_000

/** How long a statement that someone waits for may take on the server. */
const quickMs = 1_400

/**
 * How much longer it may take here. The server gives up first, so that nothing that was abandoned here goes on there for
 * long; then the connection is thrown away, for a server that does not answer may never do so.
 */
const answerMs = 200

/** How long a statement may wait for a lock, the one that orders batches above all. */
const lockMs = 1_000

/** A schema change waits for those of other replicas, and may have much to do. */
const migrationLimits = { statementMs: 0, lockMs: 60_000 }

/**
 * SQLSTATE classes and codes of a server that is away, busy, full, read-only (a former primary) or told to give up
 * (PostgreSQL documentation, appendix A). The same statement may succeed later, perhaps on another server.
 */
const transientStates = /^(08|53|58|57P0|57014|40001|40P01|55P03|25006)/

/** Of those, what ends a connection that was idle when its server went away. Others are the system's: `ECONNRESET`, `EPIPE`. */
const lostStates = /^(08|57P0|connection_lost|E[A-Z]+$)/

/** Classes whose messages may quote a row's values: data exceptions, violated constraints, exceptions of triggers. */
const quotingStates = /^(22|23|P0)/

/** An acknowledged lead is on disk, whatever the server's default; a stricter setting than `on` is kept. */
const durably = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

/** What the driver says, without row values. What does not come from the server comes from the way there: transient. */
function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (error instanceof DatabaseError) {
    const { code = 'XX000', constraint, table, message } = error
    const about = quotingStates.test(code) ? [table, constraint].filter(Boolean).join(' ') : message
    return new StoreError(code, transientStates.test(code), `postgres: ${code} ${about}`.trimEnd())
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'connection_lost'
  return new StoreError(code, true, `postgres: ${code}`)
}

interface Session {
  client: Client
  destroy(): void
}

const connects = createDeadlines(connectMs)

async function openSession(
  url: string,
  limits: { statementMs: number; lockMs: number },
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
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
  })
  client.on('error', onLost)
  const login = async () => {
    await client.connect()
    await client.query(durably)
    if (listening === undefined) return
    client.on('notification', listening.onNotification)
    await client.query(`LISTEN ${listening.channel}`)
  }
  try {
    await connects.race(login(), () => new StoreError('connect_timeout', true, 'postgres: connect_timeout'))
  } catch (error) {
    socket.destroy()
    // Whatever refuses a login (a password that is being changed, too many clients) says nothing of the lead at hand.
    const { code, message } = toStoreError(error)
    throw new StoreError(code, true, message)
  }
  return { client, destroy: () => void socket.destroy() }
}

/** One connection that comes back by itself. Statements run one after the other. Every rejection is a `StoreError`. */
export interface PostgresConnection {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<{ rows: Row[]; count: number }>
  /** Takes no further statement, and ends the connection after those that it has. */
  close(): Promise<void>
}

/** What a connection listens for, from its making on: a notification is missed only while there is none. */
export interface Listening {
  channel: string
  onNotification(): void
}

export interface PostgresConnectionOptions {
  url: string
  /** Awaited before each connection is made. */
  ready(): Promise<void>
  /** How long a statement may take on the server, in milliseconds. */
  statementMs?: number
  /** Whether statements only read: one whose connection turns out to be lost is sent once more, on a new one. */
  readsOnly?: boolean
  listening?: Listening
}

/** Connects with the first query, and anew after each transient failure: another server may have taken over. */
export function createPostgresConnection(options: PostgresConnectionOptions): PostgresConnection {
  const { url, ready, statementMs = quickMs, readsOnly = false, listening } = options
  const statements = createDeadlines(statementMs + answerMs)
  let current: Session | undefined
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  function drop(session: Session | undefined) {
    session?.destroy()
    if (current === session) current = undefined
  }

  async function connected(): Promise<Session> {
    if (current !== undefined) return current
    await ready()
    const limits = { statementMs, lockMs }
    // A server may be lost while the session is being made: there is nothing to drop then, and openSession rejects.
    let session: Session | undefined
    session = await openSession(url, limits, () => drop(session), listening)
    current = session
    return session
  }

  async function run<Row extends QueryResultRow>(query: QueryConfig) {
    const mayBeStale = readsOnly && current !== undefined
    try {
      return await attempt<Row>(query)
    } catch (error) {
      if (!mayBeStale || !lostStates.test((error as StoreError).code)) throw error
      return attempt<Row>(query)
    }
  }

  async function attempt<Row extends QueryResultRow>(query: QueryConfig) {
    const session = await connected()
    try {
      const { rows, rowCount } = await statements.race(
        session.client.query<Row>(query),
        () => new StoreError('statement_timeout', true, 'postgres: statement_timeout'),
      )
      return { rows, count: rowCount ?? 0 }
    } catch (error) {
      const storeError = toStoreError(error)
      if (storeError.transient) drop(session)
      throw storeError
    }
  }

  return {
    query: (query) => {
      if (closed) return Promise.reject(new StoreError('closed', true, 'postgres: closed'))
      const result = last.then(() => run<never>(query))
      last = result.catch(() => {})
      return result
    },
    close: async () => {
      closed = true
      await last
      const session = current
      if (session === undefined) return
      // A server that does not answer is left alone after the usual time.
      await statements.race(session.client.end(), () => new Error('no answer')).catch(() => {})
      drop(session)
    },
  }
}

/** Runs `work` on a connection of its own that may wait long for locks, and closes it. */
export async function withMigrationSession<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const session = await openSession(url, migrationLimits, () => {})
  try {
    const result = await work(session.client)
    await session.client.end()
    return result
  } catch (error) {
    session.destroy()
    throw toStoreError(error)
  }
}
