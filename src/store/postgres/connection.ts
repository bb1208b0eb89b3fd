import { Socket } from 'node:net'
import { Client, DatabaseError, type QueryConfig, type QueryResult, type QueryResultRow, types } from 'pg'
import { settleWithin } from '../../deadline.ts'
import { StoreError } from '../database.ts'

/** Time limit for connecting, TLS and login included, in milliseconds. */
const connectMs = 1_000
/** Time limit on the server for a statement that a caller waits for. */
const quickMs = 1_400
/** How much longer this side waits, so that the server gives up first, and no abandoned statement keeps running. */
const answerMs = 200
/** Time limit for a lock, mainly for the lock of the feed. */
const lockMs = 1_000
/** How long the server lets a transaction of a process that has stalled hold its locks. */
const idleInTransactionMs = 10_000

/**
 * SQLSTATE classes and codes of a server that is unavailable, busy, full, read-only (a former primary) or shutting down
 * (PostgreSQL documentation, appendix A), or whose administrator has to grant a right. The statement may succeed later,
 * perhaps on another server.
 */
const transientStates = /^(08|53|58|57P0|57014|40001|40P01|42501|55P03|25006|25P03)/

/** Data exceptions, constraints and triggers: they can depend on a lead, and their messages may quote row values. */
export const leadStates = /^(22|23|P0)/

/** Error codes of an idle connection whose server went away. The `E…` codes are the system's, such as `ECONNRESET`. */
const lostStates = /^(08|57P0|connection_lost|E[A-Z]+$)/

/** Codes of a certificate whose CA is unknown, and what to do. */
const untrustedCa = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO).*$/
const caAdvice = '$&: its CA is not trusted. Set sslrootcert in DATABASE_URL, or NODE_EXTRA_CA_CERTS, to its file'

/** The class number of this service's advisory locks: "lead" in ASCII, unlike that of other programs. */
const lockClass = 0x6c656164

/** SQL calls that take an advisory lock and hold it until the transaction ends, commit included. */
export const locks = {
  /** Held while positions are assigned, so that replicas add to the feed one after the other. Frozen with migration 1. */
  feed: `pg_advisory_xact_lock(${lockClass}, 1)`,
  migrate: `pg_advisory_xact_lock(${lockClass}, 2)`,
}

/** Converts a driver's error, without row values. One that the server did not send is about the connection. */
function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (error instanceof DatabaseError) {
    const { code = 'XX000', constraint, table, column, message } = error
    const said = message.replace(/row-level security.*$/, '$&: its role needs BYPASSRLS')
    const about = leadStates.test(code) ? [table, column, constraint].filter(Boolean).join(' ') : said
    return new StoreError(code, transientStates.test(code), `postgres: ${code} ${about}`.trimEnd(), constraint)
  }
  const { code, message } = error as NodeJS.ErrnoException
  // The driver's own messages are about the connection, such as no TLS on the server or a missing password.
  const text = (code ?? message).replace(untrustedCa, caAdvice)
  return new StoreError(code ?? 'connection_lost', true, `postgres: ${text}`)
}

/**
 * The settings of a session, set after login because poolers refuse most before. An acknowledged lead must be on disk,
 * so `synchronous_commit = off` becomes `on`; stricter values stay. A batch must see the claims of the batch whose lock
 * it waited for, hence the isolation level. `jit` would compile opt-outs, which the planner overestimates. Row-level
 * security would hide opt-outs and claims, so a statement that it applies to must fail (42501).
 */
const sessionSetup = `
  SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
    set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', false),
    set_config('row_security', 'off', false),
    set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false)`

/** Formats a time of a session in UTC like a receipt, with microseconds only if another program stored some. */
function toReceiptTime(text: string): string {
  const [time = '', fraction = ''] = text.replace('+00', '').split('.')
  return `${time.replace(' ', 'T')}.${fraction.padEnd(3, '0')}Z`
}

const { INT8, TIMESTAMPTZ } = types.builtins
const parsers: Record<number, (text: string) => unknown> = { [INT8]: Number, [TIMESTAMPTZ]: toReceiptTime }

/** Connects and logs in. Rejects with a `StoreError`. The socket of a session that is lost is destroyed. */
async function openSession(
  url: string,
  limits: { statementMs: number; lockMs: number },
  onConnected?: (session: Client) => Promise<void>,
) {
  // With our own socket we can destroy the connection. The driver's `end()` waits for the server.
  const socket = new Socket()
  const client = createClient(url, socket)
  client.on('error', () => socket.destroy())
  let waitsFor = 'connect_timeout'
  const login = async () => {
    await client.connect()
    await client.query(sessionSetup, [limits.statementMs, limits.lockMs])
    // From here on, another session's lock on the tables may be what it waits for.
    waitsFor = 'statement_timeout'
    await onConnected?.(client)
  }
  try {
    await settleWithin(connectMs, login(), () => new StoreError(waitsFor, true, `postgres: ${waitsFor}`))
    return { client, socket }
  } catch (error) {
    socket.destroy()
    // A refused login, such as for a changed password, is not the lead's fault, so it is always transient.
    const { code, message } = toStoreError(error)
    throw new StoreError(code, true, message)
  }
}

/** Rejects a URL that the driver cannot use, such as one with a missing certificate file. */
function createClient(url: string, socket: Socket): Client {
  try {
    return new Client({
      connectionString: url,
      stream: () => socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      fallback_application_name: 'lead-intake',
      types: {
        getTypeParser: ((oid: number) => parsers[oid] ?? types.getTypeParser(oid)) as typeof types.getTypeParser,
      },
    })
  } catch (error) {
    throw new StoreError('invalid_url', false, `postgres: ${(error as Error).message}`)
  }
}

/** Calls back: the promises of `pg` keep each query's text (docs/decisions/measurements.md, What V8 runs faster). */
const ask = (client: Client, query: QueryConfig) =>
  new Promise<QueryResult<never>>((resolve, reject) => {
    client.query<never>(query, (error, result) => (error ? reject(error) : resolve(result)))
  })

/** Statements that are sent one after the other, with nothing between them. */
type Work<T> = (send: (query: QueryConfig, limitMs?: number) => Promise<QueryResult<never>>) => Promise<T>

export type PostgresConnection = ReturnType<typeof createPostgresConnection>

/**
 * One connection, on which statements run one at a time. Connects at the first query, and again after a transient
 * failure, because another server may have taken over. Every rejection is a `StoreError`.
 */
export function createPostgresConnection(options: {
  url: string
  /** Awaited before each connection attempt. */
  ready(): Promise<void>
  /** The statement timeout on the server, in milliseconds. */
  statementMs?: number
  /** Whether all statements are reads. A read that fails on a lost connection is retried once on a new one. */
  readsOnly?: boolean
  /** Awaited on each new connection, before its first statement. */
  onConnected?(session: Client): Promise<void>
}) {
  const { url, ready, statementMs = quickMs, readsOnly = false, onConnected } = options
  let session: Awaited<ReturnType<typeof openSession>> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  async function openAgain() {
    await ready()
    session = await openSession(url, { statementMs, lockMs }, onConnected)
    return session
  }

  const liveSession = () => (session?.socket.destroyed ? undefined : session)

  async function run<T>(work: Work<T>, mayRepeat = readsOnly && liveSession() !== undefined): Promise<T> {
    const { client, socket } = liveSession() ?? (await openAgain())
    const timeout = () => new StoreError('statement_timeout', true, 'postgres: statement_timeout')
    try {
      return await work((query, ms = statementMs) => settleWithin(ms + answerMs, ask(client, query), timeout))
    } catch (error) {
      const storeError = toStoreError(error)
      if (storeError.transient) socket.destroy()
      if (!mayRepeat || !lostStates.test(storeError.code)) throw storeError
      return run(work, false)
    }
  }

  /** Runs after everything before it has been answered. */
  function enqueue<T>(work: Work<T>): Promise<T> {
    if (isClosed) return Promise.reject(new StoreError('closed', true, 'postgres: closed'))
    const result = last.then(() => run(work))
    last = result.catch(() => {})
    return result
  }

  return {
    query: <Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> =>
      enqueue((send) => send(query)),
    /** Runs statements in one transaction, each within `limitMs`, and returns the rows of the last one. */
    transaction: <Row extends QueryResultRow>(queries: readonly QueryConfig[], limitMs: number): Promise<Row[]> =>
      enqueue(async (send) => {
        await send({ text: `BEGIN; SET LOCAL statement_timeout = ${limitMs}` })
        try {
          let rows: never[] = []
          for (const query of queries) rows = (await send(query, limitMs)).rows
          await send({ text: 'COMMIT' }, limitMs)
          return rows
        } catch (error) {
          // If this fails too, the connection is lost, and so is the transaction.
          await send({ text: 'ROLLBACK' }).catch(() => {})
          throw error
        }
      }),
    /** Accepts no more statements, waits for the pending ones, and disconnects. */
    close: async () => {
      isClosed = true
      await last
      // Do not wait longer than a statement's timeout for a server that does not answer.
      const ended = liveSession()?.client.end() ?? Promise.resolve()
      await settleWithin(statementMs + answerMs, ended).catch(() => {})
      session?.socket.destroy()
    },
  }
}

/** Runs `work` on a connection of its own, without timeouts. Rejects with a `StoreError`. */
export async function withSession<T>(url: string, work: (session: Client) => Promise<T>): Promise<T> {
  const session = await openSession(url, { statementMs: 0, lockMs: 0 })
  try {
    const result = await work(session.client)
    await session.client.end()
    return result
  } catch (error) {
    session.socket.destroy()
    throw toStoreError(error)
  }
}
