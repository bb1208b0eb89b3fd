import type { InboxStore } from '../inbox/stored-lead.ts'
import type { NewLead } from '../lead/submission.ts'

/** A parameter. A list is passed to `= ANY ($1)`. */
export type Value = string | number | null | readonly string[]

/** The file of `sqlite:PATH`. Undefined for another database. */
export const sqlitePath = (url: string) => (url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined)

export interface Statement {
  text: string
  values?: Value[]
}

/** Times are texts as in a receipt, and positions numbers. UUIDs may have hyphens. Rejections are `StoreError`s. */
export interface Database {
  /**
   * Durably inserts each lead whose key and content were unclaimed when it was received, with its claims. Returns the
   * ids of the inserted leads. No two of the leads may share a claim.
   */
  insert(leads: readonly NewLead[]): Promise<readonly string[]>
  /** Reads what the caller will acknowledge: what it returns is as durable as an inserted lead. */
  readDurable<Row extends object>(statement: Statement): Promise<Row[]>
  /** Reads without holding up leads. */
  read<Row extends object>(statement: Statement): Promise<Row[]>
  /** Runs a statement that adds nothing to the feed. */
  run(statement: Statement): Promise<unknown[]>
  /** Runs statements in one transaction that may add to the feed, alone. Returns the rows of the last one. */
  change<Row extends object>(statements: readonly Statement[]): Promise<Row[]>
  /** Identifies the database to its replicas, by the same text for each. Missing if only one process can use it. */
  identify?(): Promise<string>
  /** The server's time, in milliseconds since the epoch. Missing for a file. */
  readClock?(): Promise<number>
  /** Commits a small write, to prove that a lead could be stored. */
  probe(): Promise<void>
  onStored: InboxStore['onStored']
  onReconnected: InboxStore['onReconnected']
  close(): Promise<void>
}

export class Listeners extends Set<() => void> {
  subscribe = (listener: () => void) => {
    this.add(listener)
    return () => this.delete(listener)
  }
  call = () => {
    for (const listener of this) listener()
  }
}

/** A database error that is safe to log: unlike drivers' messages, it has no row values. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** SQLSTATE, SQLite result code, system error code, or a name of ours such as `contended`. */
  readonly code: string
  /** Whether the same statement may succeed later: the database is unreachable, busy, full or read-only. */
  readonly transient: boolean
  /** The name of the constraint that the statement violated, where the database names it. */
  readonly constraint: string | undefined

  constructor(code: string, transient: boolean, message: string, constraint?: string) {
    super(message)
    this.code = code
    this.transient = transient
    this.constraint = constraint
  }
}

export const isTransient = (error: unknown) => error instanceof StoreError && error.transient
