import { dirname, resolve } from 'node:path'
import { sqlitePath } from '../config/database-url.ts'
import type { Listen } from '../config/internal.ts'
import { StoreError } from '../store/error.ts'

/** A failed start that the operator can fix. The message says how, in one line without secrets. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Explains why a listener could not listen. `prefix` begins its settings' names. Other errors stay unchanged. */
export function explainListenError(error: unknown, { host, port }: Listen, prefix: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartError(`port ${port} is in use: set ${prefix}PORT`)
    case 'EACCES':
      return new StartError(`this user may not listen on port ${port}: set ${prefix}PORT to 1024 or higher`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`${host} is not an address of this machine: set ${prefix}HOST`)
    default:
      return error
  }
}

/** Explains why a database could not be opened, and what to do. Returns other errors unchanged. */
export function explainStoreError(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof StoreError)) return error
  const path = sqlitePath(databaseUrl)
  if (path === undefined) return new StartError(`the database cannot be used (${error.message}): check DATABASE_URL`)
  const [file, folder] = [resolve(path), dirname(resolve(path))].map((name) =>
    name.includes('@') ? 'named in DATABASE_URL' : name,
  )
  switch (error.code) {
    case 'EISDIR':
      return new StartError(`the database cannot be opened, because ${file} is a folder: set DATABASE_URL`)
    case 'sqlite_26':
      return new StartError(`the file ${file} is not an SQLite database: set DATABASE_URL`)
    case 'sqlite_13':
      return new StartError(`the disk that holds ${folder} is full: free some space, or set DATABASE_URL`)
    default:
      return new StartError(
        `the folder ${folder} cannot be written (${error.code}): make it writable, or set DATABASE_URL`,
      )
  }
}
