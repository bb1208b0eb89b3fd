import type { Server } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { listen } from '../net/listen.ts'
import { StoreError, sqlitePath } from '../store/database.ts'

/** A failed start that the operator can fix. The message says how, in one line without secrets. */
export class StartError extends Error {}

/** Listens on an address. If the operator can fix a failure, rejects with a `StartError` that names the setting. */
export async function listenAt({ host, port }: Config['ops'], prefix: string, server: Server) {
  try {
    return await listen(server, port, host)
  } catch (error) {
    const notHere = `${host} is not an address of this machine: set ${prefix}HOST`
    const causes: Record<string, string> = {
      EADDRINUSE: `port ${port} is in use: set ${prefix}PORT`,
      EACCES: `this user may not listen on port ${port}: set ${prefix}PORT to 1024 or higher`,
      EADDRNOTAVAIL: notHere,
      ENOTFOUND: notHere,
      EAI_AGAIN: notHere,
    }
    const cause = causes[(error as NodeJS.ErrnoException).code ?? '']
    throw cause === undefined ? error : new StartError(cause)
  }
}

export function explainStoreError(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof StoreError)) return error
  const path = sqlitePath(databaseUrl)
  const { code, message } = error
  const show = (name: string) => (name.includes('@') ? 'named in DATABASE_URL' : name)
  const file = path === undefined ? 'of DATABASE_URL' : show(resolve(path))
  if (code === 'newer')
    return new StartError(
      `the database ${file} cannot be used, because ${message}: start that release again, or the one before it`,
    )
  if (path === undefined) return new StartError(`the database cannot be used (${message}): check DATABASE_URL`)
  const folder = show(dirname(resolve(path)))
  const causes: Record<string, string> = {
    EISDIR: `the database cannot be opened, because ${file} is a folder: set DATABASE_URL`,
    sqlite_26: `the file ${file} is not an SQLite database: set DATABASE_URL`,
    foreign: `the file ${file} is the database of another program: set DATABASE_URL`,
    sqlite_5: `another program holds the database ${file}: end it, and start again`,
    // The newest leads would be missing from a restored backup, and a disk may fail only once.
    sqlite_10: `the disk of ${file} fails (${message}): start again, or copy the file with its -wal to another disk`,
    sqlite_13: `the disk that holds ${folder} is full: free some space, or set DATABASE_URL`,
  }
  const unwritable = `the folder ${folder} cannot be written (${code}): make it writable, or set DATABASE_URL`
  const broken = `the database ${file} cannot be used (${message}): restore a backup, or set DATABASE_URL`
  const isUnwritable = /^(E[A-Z]+|sqlite_8|sqlite_14)$/.test(code)
  return new StartError(causes[code] ?? (isUnwritable ? unwritable : broken))
}
