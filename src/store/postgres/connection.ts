import type { Client, QueryConfig, QueryResultRow } from 'pg'
import { createDeadlines } from '../../deadline.ts'
import { StoreError } from '../error.ts'
import { type Listening, openSession, type Session, toStoreError } from './session.ts'

/** How long a statement that someone waits for may take on the server. */
const quickMs = 1_400

/**
 * How much longer it may take here. The server gives up first, so that nothing that was abandoned here goes on there for
 * long; then the connection is thrown away, for a server that does not answer may never do so.
 */
const answerMs = 200

/** How long a statement may wait for a lock, the one that orders batches above all. */
const lockMs = 1_000

/** What ends a connection that was idle when its server went away. Others are the system's: `ECONNRESET`, `EPIPE`. */
const lostStates = /^(08|57P0|connection_lost|E[A-Z]+$)/

/** One connection that comes back by itself. Statements run one after the other. Every rejection is a `StoreError`. */
export interface PostgresConnection {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<{ rows: Row[]; count: number }>
  /** Takes no further statement, and ends the connection after those that it has. */
  close(): Promise<void>
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
        session.query<Row>(query),
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

/** Runs `work` on a connection of its own without limits, and closes it. */
export async function withSession<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const session = await openSession(url, { statementMs: 0, lockMs: 0 }, () => {})
  try {
    const result = await work(session.client)
    await session.client.end()
    return result
  } catch (error) {
    session.destroy()
    throw toStoreError(error)
  }
}
