import { existsSync } from 'node:fs'
import { StoreError } from './error.ts'
import type { BackupSummary } from './sqlite/backup-file.ts'

export type { BackupSummary }

const sqlitePath = (url: string) => (url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined)

/**
 * Writes one moment of a database to a new file that only its owner may read, while the service goes on, and checks the
 * file. Whichever the database, the file is one of SQLite, so that a backup of one can be restored to the other. Nothing
 * has the name of the file before all of it is on disk.
 */
export async function backUp(url: string, file: string): Promise<BackupSummary> {
  if (existsSync(file)) throw new StoreError('EEXIST', false, `${file} is there already, and a backup replaces nothing`)
  const { writeBackup, copyInto } = await import('./sqlite/backup-file.ts')
  const path = sqlitePath(url)
  if (path !== undefined) return writeBackup(file, async (partial) => copyInto(path, partial))
  const { exportPostgres } = await import('./postgres/export.ts')
  return writeBackup(file, (partial) => exportPostgres(url, partial))
}

/** Brings a backup into an empty database: all of it, or nothing. The backup stays as it is. */
export async function restore(url: string, file: string): Promise<BackupSummary> {
  const { restoreFile, inspectBackup } = await import('./sqlite/backup-file.ts')
  const path = sqlitePath(url)
  if (path !== undefined) return restoreFile(file, path)
  const summary = inspectBackup(file)
  const { importIntoPostgres } = await import('./postgres/import.ts')
  await importIntoPostgres(url, file)
  return summary
}
