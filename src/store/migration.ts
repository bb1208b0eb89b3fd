/**
 * One step of the schema. Released steps never change; a step leaves the tables usable by the version before it, so that
 * replicas of both run side by side and a rollback by one version needs no step back.
 */
export interface Migration {
  /** 1 and up, without gaps. */
  version: number
  name: string
  /** One or more statements. */
  sql: string
}

/** The steps that a database still needs. Versions that this program does not know are a newer program's, and kept. */
export function pendingMigrations(migrations: readonly Migration[], applied: ReadonlySet<number>): Migration[] {
  return migrations.filter(({ version }) => !applied.has(version))
}
