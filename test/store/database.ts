/** A direct way to the tables, past the store. */
export interface OpenDatabase {
  all(sql: string): Promise<Record<string, unknown>[]>
  exec(sql: string): Promise<void>
  /** A time as the database gives it, in the form of a receipt. */
  iso(time: unknown): string
  /** A hash of a claim as the database gives it, in 32 hexadecimal digits. */
  hash(value: unknown): string
  close(): Promise<void>
}

/** What the contract suite needs to know of a backend. */
export interface StoreBackend {
  name: string
  /** A reason to skip, for a test's `skip`. */
  skip: string | false
  /** The URL of a new, empty database. */
  newUrl(): Promise<string>
  openDatabase(url: string): Promise<OpenDatabase>
  /** The versions of a schema that is up to date. */
  versions: number[]
  /** A statement after which leads whose personal part holds "poison" are refused … */
  refusePoison: string
  /** … and how the error for one of them is recognised. */
  refusedPoison: RegExp
  /** Further ways in which this database could lose a lead. */
  otherRemovals: string[]
}
