import type { InboxRow } from '../inbox.ts'

/** What a thread can be asked for: the arguments and the answer of each call. All are plain data. */
export type CallTable<Calls> = Record<keyof Calls, { args: unknown[]; result: unknown }>

/** The calls of a table, each done when it returns. */
export type SqliteAnswers<Calls extends CallTable<Calls>> = {
  [Name in keyof Calls]: (...args: Calls[Name]['args']) => Calls[Name]['result']
}

/** The calls of the thread that writes. */
export interface SqliteCalls {
  /** JSON of rows; the ids of those stored. */
  insert: { args: [rows: string]; result: string[] }
  /** JSON arrays of ids, key hashes and fingerprints. */
  find: { args: [ids: string, keys: string, fingerprints: string]; result: SqliteClaimRow[] }
  /** JSON of rows. */
  release: { args: [rows: string]; result: null }
  probe: { args: [nowIso: string]; result: null }
  prune: { args: [nowIso: string, limit: number]; result: number }
  /** When the lead was erased; null: no such lead. */
  erase: { args: [id: string, at: string, reason: string]; result: string | null }
  /** The number of leads erased. */
  eraseReceivedBefore: { args: [receivedBefore: string, at: string, reason: string, limit: number]; result: number }
  close: { args: []; result: null }
}

/** The calls of the thread that reads, so that who reads much holds up nobody who stores. */
export interface SqliteReaderCalls {
  /** Null lets every value through. JSON of `InboxRow[]`, which goes between threads faster than the rows do (measured). */
  readAfter: {
    args: [
      position: number,
      limit: number,
      formType: string | null,
      receivedAfter: string | null,
      receivedBefore: string | null,
    ]
    result: string
  }
  find: { args: [id: string]; result: InboxRow | null }
  idAt: { args: [position: number]; result: string | null }
  close: { args: []; result: null }
}

/** Which file a thread opens, and what for. */
export interface SqliteThreadData {
  path: string
  role: 'writer' | 'reader'
}

export interface SqliteRequest {
  id: number
  call: string
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
