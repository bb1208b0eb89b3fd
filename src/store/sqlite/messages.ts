import type { Wording } from '../wording.ts'

/** The calls that a thread answers, each done when it returns. Arguments and results are plain data. */
export type Calls = Record<string, (...args: never[]) => unknown>

/** Which file a thread opens, and what for. */
export interface SqliteThreadData {
  path: string
  role: 'writer' | 'reader'
  /** The texts that a writer records. */
  wordings: readonly Wording[]
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
