import type { Wording } from '../wording.ts'

/** The synchronous calls that a thread answers. Arguments and results are plain data. */
export type Calls = Record<string, (...args: never[]) => unknown>

/** Which file a thread opens, and in which role. */
export interface SqliteThreadData {
  path: string
  role: 'writer' | 'reader'
  /** The texts that the writer records. */
  wordings: readonly Wording[]
}

export interface SqliteRequest {
  id: number
  call: string
  args: unknown[]
}

/** The fields of a `StoreError`: the class itself does not survive a message between threads. */
export interface SqliteFailure {
  code: string
  transient: boolean
  message: string
}

/** Has `failure` exactly when the call failed. */
export interface SqliteReply {
  id: number
  result?: unknown
  failure?: SqliteFailure
}
