import type { Migration } from '../migrate.ts'
import { createTables, isErasure } from '../schema.ts'

/** Creates triggers that reject updates and deletions of a table's rows. `except` is the one allowed update. */
function keepRows(table: string, except?: string): string {
  const refuse = `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`
  return `
      CREATE TRIGGER keep_${table} BEFORE UPDATE ON ${table} ${except ? `WHEN NOT coalesce(${except}, 0)` : ''} ${refuse}
      CREATE TRIGGER keep_${table}_from_delete BEFORE DELETE ON ${table} ${refuse}`
}

/** The migrations for SQLite. Times are text in the format of a receipt, which sorts by time; hashes are text too. */
export const sqliteMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'leads',
    sql: `
      ${createTables({
        id: 'TEXT',
        time: 'TEXT',
        token: 'TEXT',
        // Changes take their positions from this table's sequence.
        position: 'INTEGER PRIMARY KEY AUTOINCREMENT',
        changes: 'position INTEGER PRIMARY KEY, id TEXT NOT NULL',
        end: ' STRICT',
        endOfLeads: ' STRICT',
      })}
      ${keepRows('leads', isErasure)}
      ${['changes', 'wordings', 'opt_outs'].map((table) => keepRows(table)).join('')}
    `,
  },
]
