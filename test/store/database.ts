/** Direct access to the tables, bypassing the store. */
export interface OpenDatabase {
  all(sql: string): Promise<Record<string, unknown>[]>
  exec(sql: string): Promise<void>
  /** SQL for a time in the format of a receipt. */
  iso(time: unknown): string
  /** SQL for a claim's hash as 32 hexadecimal digits. */
  hash(value: unknown): string
  close(): Promise<void>
}

/** What the contract tests need to know about a backend. */
export interface StoreBackend {
  name: string
  /** The reason to skip, for a test's `skip`. */
  skip: string | false
  /** The URL of a new, empty database. */
  newUrl(): Promise<string>
  openDatabase(url: string): Promise<OpenDatabase>
  /** The versions of a migrated schema. */
  versions: number[]
  /** SQL after which leads with "poison" in their personal part are rejected … */
  refusePoison: string
  /** … and the pattern of the error for such a lead. */
  refusedPoison: RegExp
}
