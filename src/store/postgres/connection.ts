import type { Client, QueryConfig, QueryResultRow } from 'pg'
import { createDeadlines } from '../../deadline.ts'
import { StoreError } from '../error.ts'
import type { BinaryStatement } from './binary-statement.ts'
import { type Listening, openSession, type Session, toStoreError } from './session.ts'

/** The statement timeout on the server, in milliseconds, for statements that a caller waits for. */
const quickMs = 1_400

/**
 * The extra time this side waits after the server's timeout. The server gives up first, so an abandoned statement does
 * not keep running there. If it still does not answer, the connection is dropped.
 */
const answerMs = 200

/** The lock timeout, in milliseconds. It matters most for the lock that orders batches. */
const lockMs = 1_000

/**
 * Error codes of an idle connection whose server went away. The `E…` codes come from the system: `ECONNRESET`, `EPIPE`.
 */
const lostStates = /^(08|57P0|connection_lost|E[A-Z]+$)/

/** One connection that reconnects by itself. Statements run one at a time. Every rejection is a `StoreError`. */
export interface PostgresConnection {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<{ rows: Row[]; count: number }>
  /** Runs a statement that returns one text or null. */
  readText(statement: BinaryStatement): Promise<string | null>
  /**
   * Call this when `listening.wanted` has changed. Later statements run after the server knows, so everything that they
   * do not see yet will be notified.
   */
  updateListening(): void
  /** Accepts no more statements, waits for the pending ones, and disconnects. */
  close(): Promise<void>
}

export interface PostgresConnectionOptions {
  url: string
  /** Awaited before each connection attempt. */
  ready(): Promise<void>
  /** The statement timeout on the server, in milliseconds. */
  statementMs?: number
  /** Whether all statements are reads. A read that fails on a lost connection is retried once on a new one. */
  readsOnly?: boolean
  listening?: Listening
}

/** Connects at the first query, and reconnects after each transient failure: another server may have taken over. */
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
    // The server may disappear while the session is being opened. Then there is nothing to drop: openSession rejects.
    let session: Session | undefined
    session = await openSession(url, limits, () => drop(session), listening)
    current = session
    return session
  }

  async function run<T>(send: (session: Session) => Promise<T>): Promise<T> {
    const mayBeStale = readsOnly && current !== undefined
    try {
      return await attempt(send)
    } catch (error) {
      if (!mayBeStale || !lostStates.test((error as StoreError).code)) throw error
      return attempt(send)
    }
  }

  async function attempt<T>(send: (session: Session) => Promise<T>): Promise<T> {
    const session = await connected()
    try {
      return await statements.race(
        send(session),
        () => new StoreError('statement_timeout', true, 'postgres: statement_timeout'),
      )
    } catch (error) {
      const storeError = toStoreError(error)
      if (storeError.transient) drop(session)
      throw storeError
    }
  }

  /** If the session is lost during this, the next one listens from its start. */
  async function applyListening() {
    const session = current
    if (session === undefined) return
    const timeout = () => new StoreError('statement_timeout', true, 'postgres: statement_timeout')
    await statements.race(session.updateListening(), timeout).catch(() => drop(session))
  }

  /** Runs after everything before it has been answered. */
  function enqueue<T>(send: (session: Session) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new StoreError('closed', true, 'postgres: closed'))
    const result = last.then(() => run(send))
    last = result.catch(() => {})
    return result
  }

  return {
    query: async (query) => {
      const { rows, rowCount } = await enqueue((session) => session.query<never>(query))
      return { rows, count: rowCount ?? 0 }
    },
    readText: (statement) => enqueue((session) => session.readText(statement)),
    updateListening: () => {
      if (!closed) last = last.then(applyListening)
    },
    close: async () => {
      closed = true
      await last
      const session = current
      if (session === undefined) return
      // Do not wait longer than a statement's timeout for a server that does not answer.
      await statements.race(session.client.end(), () => new Error('no answer')).catch(() => {})
      drop(session)
    },
  }
}

/** Runs `work` on a separate connection without timeouts, and closes it. */
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
