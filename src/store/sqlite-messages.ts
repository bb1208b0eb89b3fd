/** What the worker thread can be asked for: the arguments and the answer of each call. All are plain data. */
export interface SqliteCalls {
  /** JSON of rows; the ids of those stored. */
  insert: { args: [rows: string]; result: string[] }
  /** JSON arrays of ids, key hashes and fingerprints. */
  find: { args: [ids: string, keys: string, fingerprints: string]; result: SqliteClaimRow[] }
  /** JSON of rows. */
  release: { args: [rows: string]; result: null }
  probe: { args: [nowIso: string]; result: null }
  prune: { args: [nowIso: string, limit: number]; result: number }
  close: { args: []; result: null }
}

export type SqliteCall = keyof SqliteCalls

export interface SqliteRequest {
  id: number
  call: SqliteCall
  args: unknown[]
}

/** The parts of a `StoreError`, which does not survive the way between threads. */
export interface SqliteFailure {
  code: string
  transient: boolean
  message: string
}

/** `failure` is there exactly when the call failed. */
export interface SqliteReply {
  id: number
  result?: unknown
  failure?: SqliteFailure
}

/** A row of `recent_submissions` that stands in the way of a lead. */
export interface SqliteClaimRow {
  lead_id: string
  form_type: string
  received_at: string
  fingerprint: string
  content_until: string | null
  key_hash: string | null
  key_until: string | null
}
