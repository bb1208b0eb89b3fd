import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'
import type { Calls, SqliteFailure, SqliteReply, SqliteRequest, SqliteThreadData } from './messages.ts'
import { openReader } from './reader.ts'

/** SQLITE_FULL. */
const fullCode = 13

/**
 * Result codes after which the same call may succeed later (sqlite.org/rescode.html): busy, locked, out of memory,
 * interrupted, full.
 */
const passing = new Set([5, 6, 7, 9, fullCode])

/**
 * Result codes that reopening the file may fix: read-only, I/O error, corrupt, cannot open, protocol, not a database.
 */
const reopening = new Set([8, 10, 11, 14, 15, 26])

function primaryCode(error: unknown): number | undefined {
  // The primary result code is the low byte of the extended one.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

/**
 * Messages from SQLite and the file system name columns, constraints and paths, never values. So they are safe to log.
 */
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

/** Answers requests one at a time, on this thread because fsync would block the event loop of the main thread. */
function serve(port: NonNullable<typeof parentPort>, { path, role, wordings }: SqliteThreadData) {
  let database: Calls | undefined
  let wasFull = false

  /** Pages written before the disk was full are still in the WAL. Checkpoint them as soon as there is space again. */
  function makeRoom(opened: Calls) {
    try {
      opened.makeRoom?.()
      wasFull = false
    } catch {
      // The disk is still full.
    }
  }

  function answer({ id, call, args }: SqliteRequest): SqliteReply {
    // A database that never opened, or was dropped after an error, needs no closing.
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
