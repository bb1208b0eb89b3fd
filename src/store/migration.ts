/**
 * One migration of the schema. Released migrations never change. Each one leaves the tables usable by the previous
 * version of the program, so that replicas of both versions can run side by side and a rollback by one version needs no
 * down migration.
 */
export interface Migration {
  /** Starts at 1 and has no gaps. */
  version: number
  name: string
  /** One or more SQL statements. */
  sql: string
}

/**
 * The migrations that a database still needs. Applied versions that this program does not know come from a newer
 * program and are left alone.
 */
export function pendingMigrations(migrations: readonly Migration[], applied: ReadonlySet<number>): Migration[] {
  return migrations.filter(({ version }) => !applied.has(version))
}
