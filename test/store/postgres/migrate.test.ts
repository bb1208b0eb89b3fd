import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../../src/store/open.ts'
import { migratePostgres } from '../../../src/store/postgres/database.ts'
import { postgresMigrations } from '../../../src/store/postgres/migrations.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { runningMs } from '../../support/stalls.ts'
import { makeLead } from '../leads.ts'

suite('a migration while a reader locks the table', { skip: skipWithoutEngine }, () => {
  test('blocks no leads, and completes once the reader has finished', async () => {
    const url = await postgresUrl()
    const store = await openStore({ url })
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    // Reads like pg_dump: one transaction that holds a lock on every table.
    await reader.query('BEGIN; LOCK TABLE leads IN ACCESS SHARE MODE')
    let isDone = false
    let longestMs = 0
    let lastTry = 0
    try {
      const change = { version: 1_000, name: 'changed', sql: 'ALTER TABLE leads ADD COLUMN changed text' }
      const migrated = migratePostgres(url, [...postgresMigrations, change]).then(() => {
        isDone = true
      })
      const startedMs = runningMs()
      while (!isDone) {
        const beganMs = runningMs()
        assert.deepEqual(await store.submit(makeLead()), { kind: 'created' })
        const tookMs = runningMs() - beganMs
        longestMs = Math.max(longestMs, tookMs)
        if (tookMs > 500) lastTry++
        // Two attempts have blocked leads and given up. Now the reader finishes.
        if (lastTry === 2 && !isDone) await reader.query('ROLLBACK')
        assert(runningMs() - startedMs < 60_000, 'the migration ends')
      }
      await migrated
      // Far below the five seconds after which a lead is refused.
      assert(longestMs < 4_000, `a lead waited ${Math.round(longestMs)} ms`)
    } finally {
      await reader.end()
      await store.close()
    }
  })
})
