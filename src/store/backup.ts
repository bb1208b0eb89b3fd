import { existsSync } from 'node:fs'
import { StoreError } from './error.ts'
import type { BackupSummary } from './sqlite/backup-file.ts'

export type { BackupSummary }

const sqlitePath = (url: string) => (url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined)

/**
 * Writes a consistent snapshot of a database to a new file that only its owner can read, and verifies it. The service
 * keeps running. The file is SQLite for both databases, so a backup of one can be restored to the other. The file gets
 * its final name only after all of it is on disk.
 */
export async function backUp(url: string, file: string): Promise<BackupSummary> {
  if (existsSync(file))
    throw new StoreError('EEXIST', false, `${file} already exists, and a backup never overwrites a file`)
  const { writeBackup, copyInto } = await import('./sqlite/backup-file.ts')
  const path = sqlitePath(url)
  if (path !== undefined) return writeBackup(file, async (partial) => copyInto(path, partial))
  const { exportPostgres } = await import('./postgres/export.ts')
  return writeBackup(file, (partial) => exportPostgres(url, partial))
}

/** Restores a backup into an empty database, completely or not at all. Does not modify the backup. */
export async function restore(url: string, file: string): Promise<BackupSummary> {
  const { restoreFile, inspectBackup } = await import('./sqlite/backup-file.ts')
  const path = sqlitePath(url)
  if (path !== undefined) return restoreFile(file, path)
  const summary = inspectBackup(file)
  const { importIntoPostgres } = await import('./postgres/import.ts')
  await importIntoPostgres(url, file)
  return summary
}
