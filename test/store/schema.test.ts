import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/store/open.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { sqliteMigrations } from '../../src/store/sqlite/migrations.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'

test('both databases have the same versions, without gaps', () => {
  const names = (migrations: typeof sqliteMigrations) => migrations.map(({ version, name }) => [version, name])
  assert.deepEqual(names(sqliteMigrations), names(postgresMigrations))
  assert.deepEqual(
    sqliteMigrations.map(({ version }) => version),
    sqliteMigrations.map((_, index) => index + 1),
  )
})

test('both databases have the same tables and columns', { skip: skipWithoutEngine }, async () => {
  const sqlite = new DatabaseSync(':memory:')
  for (const { sql } of sqliteMigrations) sqlite.exec(sql)
  const inSqlite = sqlite.prepare(`
    SELECT t.name || '.' || c.name AS name, c."notnull" AS required
    FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.name NOT LIKE 'sqlite%'`)
  const columns = inSqlite.all().map(({ name, required }) => `${name}${required ? '' : ' null'}`)

  const url = await postgresUrl()
  await migrate(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string; is_nullable: string }>(`
    SELECT table_name || '.' || column_name AS name, is_nullable
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_migrations'`)
  await client.end()

  // A SQLite row id is never null but is not declared so.
  const implied = new Set([
    'leads.position null',
    'changes.position null',
    'consent_seals.segment null',
    'write_probe.id null',
  ])
  const named = columns.map((column) => (implied.has(column) ? column.replace(' null', '') : column))
  assert.deepEqual(
    named.sort(),
    rows.map(({ name, is_nullable }) => (is_nullable === 'YES' ? `${name} null` : name)).sort(),
  )
})
