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

/** Whether the same operation is worth retrying. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && error.transient
}
