/**
 * One migration of the schema. Released migrations never change. The previous version of the program must still work on
 * the tables: replicas of both run side by side, and a rollback undoes no migration.
 */
export interface Migration {
  /** Starts at 1 and has no gaps. */
  version: number
  name: string
  sql: string
}

/** A connection that runs nothing else. */
type Session = Record<'exec' | 'read', (sql: string) => Promise<unknown>>

const createMigrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    applied_at text NOT NULL DEFAULT CURRENT_TIMESTAMP
  )`

/** The migrations that a database still needs. Unknown versions come from a newer program. */
async function findMissing(session: Session, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const rows = (await session.read('SELECT version FROM schema_migrations')) as { version: number }[]
  const applied = new Set(rows.map(({ version }) => version))
  return migrations.filter(({ version }) => !applied.has(version))
}

/**
 * Runs the missing migrations in one transaction, which `begin` opens and which excludes other migrations. If none is
 * missing it only reads, so that a role without DDL rights is enough. A session is unusable after a rejection.
 */
export async function runMigrations(session: Session, migrations: readonly Migration[], begin: string) {
  // A new database has no such table. Any other error will occur again.
  const missing = await findMissing(session, migrations).catch(() => migrations)
  if (missing.length === 0) return
  await session.exec(begin)
  await session.exec(createMigrationsTable)
  for (const { version, name, sql } of await findMissing(session, migrations)) {
    await session.exec(sql)
    await session.exec(`INSERT INTO schema_migrations (version, name) VALUES (${version}, '${name}')`)
  }
  await session.exec('COMMIT')
}
