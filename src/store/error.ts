/**
 * What a database said, without what a caller sent: drivers put row values into their errors, and this one may be logged.
 * The message holds the code and names of the schema, nothing else.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** SQLSTATE, SQLite result code or system error code. */
  readonly code: string
  /** Whether the same statement may succeed later: the database is away, busy, full or read-only. */
  readonly transient: boolean

  constructor(code: string, transient: boolean, message: string) {
    super(message)
    this.code = code
    this.transient = transient
  }
}

/** Whether it is worth trying the same again. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && error.transient
}
