import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'
import type { Calls, SqliteFailure, SqliteReply, SqliteRequest, SqliteThreadData } from './messages.ts'
import { openReader } from './reader.ts'

/** SQLITE_FULL. */
const fullCode = 13

/** Primary result codes after which the same may succeed later (sqlite.org/rescode.html): busy, locked or full … */
const passing = new Set([5, 6, 7, 9, fullCode])

/** … and read-only, I/O error, corrupt, cannot open, protocol, not a database: what a reopened file may cure. */
const reopening = new Set([8, 10, 11, 14, 15, 26])

function primaryCode(error: unknown): number | undefined {
  // The lower eight bits of an extended result code.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

/** SQLite and the file system name columns, constraints and paths in their messages, never values. */
function toFailure(error: unknown): SqliteFailure {
  const message = error instanceof Error ? error.message : 'unexpected'
  const primary = primaryCode(error)
  if (primary !== undefined) {
    const code = `sqlite_${primary}`
    return { code, transient: passing.has(primary) || reopening.has(primary), message: `${code}: ${message}` }
  }
  const system = error instanceof Error && 'syscall' in error && 'code' in error
  return { code: system ? String(error.code) : 'unexpected', transient: system, message: `sqlite: ${message}` }
}

const openers: Record<SqliteThreadData['role'], (path: string, wordings: SqliteThreadData['wordings']) => Calls> = {
  writer: openDatabase,
  reader: openReader,
}

/** Answers requests one after the other, away from the event loop that fsync would block. */
function serve(port: NonNullable<typeof parentPort>, { path, role, wordings }: SqliteThreadData) {
  let database: Calls | undefined
  let wasFull = false

  /** What was written before the disk was full is still in the log: it comes first when there is room again. */
  function makeRoom(opened: Calls) {
    try {
      opened.makeRoom?.()
      wasFull = false
    } catch {
      // There is still none.
    }
  }

  function answer({ id, call, args }: SqliteRequest): SqliteReply {
    // What could not be opened, or has been given up, needs no closing.
    if (call === 'close' && database === undefined) return { id, result: null }
    try {
      database ??= openers[role](path, wordings)
      if (wasFull) makeRoom(database)
      return { id, result: database[call]?.(...(args as never[])) }
    } catch (error) {
      wasFull ||= primaryCode(error) === fullCode
      if (reopening.has(primaryCode(error) ?? 0)) {
        database?.close?.()
        database = undefined
      }
      return { id, failure: toFailure(error) }
    }
  }

  port.on('message', (request: SqliteRequest) => {
    port.postMessage(answer(request))
    if (request.call === 'close') port.close()
  })
}

if (parentPort !== null) serve(parentPort, workerData)
