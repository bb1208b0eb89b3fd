import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { LeadError } from '../../../src/lead/error.ts'
import { StoreError } from '../../../src/store/error.ts'
import { openStore } from '../../../src/store/open.ts'
import { runningMs } from '../../support/stalls.ts'
import { makeLead } from '../leads.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'leads-'))

/** A store, and another process's connection to its file. Both are closed when the test ends. */
async function openBoth(t: TestContext, onError?: (error: unknown) => void) {
  const path = join(newFolder(), 'leads.db')
  const store = await openStore({ url: `sqlite:${path}`, onError })
  const other = new DatabaseSync(path)
  t.after(async () => {
    other.close()
    await store.close()
  })
  return { store, other }
}

/** Runs `writer.ts` until it has acknowledged some leads, kills it, and returns what it acknowledged. */
async function writeAndKill(url: string, atLeast: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../writer.ts'), url])
  let printed = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    printed += text
    if (printed.length > atLeast * 37) child.kill('SIGKILL')
  })
  child.stderr.pipe(process.stderr)
  await new Promise((resolve) => child.once('close', resolve))
  // The last line may be incomplete.
  return printed.split('\n').slice(0, -1)
}

describe('a SQLite file', () => {
  test('is created with its folder, readable by its owner only', async (t) => {
    const path = join(newFolder(), 'one', 'two', 'leads.db')
    const store = await openStore({ url: `sqlite:${path}` })
    t.after(() => store.close())
    await store.submit(makeLead())
    for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600, file)
  })

  test('that others can read is restricted to its owner, with its WAL files', async (t) => {
    const path = join(newFolder(), 'leads.db')
    const first = await openStore({ url: `sqlite:${path}` })
    await first.submit(makeLead())
    const files = [path, `${path}-wal`, `${path}-shm`]
    for (const file of files) chmodSync(file, 0o644)
    const store = await openStore({ url: `sqlite:${path}` })
    t.after(() => Promise.all([first.close(), store.close()]))
    for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file)
  })

  test('keeps every acknowledged lead when the process is killed, five times', { timeout: 60_000 }, async () => {
    const path = join(newFolder(), 'leads.db')
    const acknowledged: string[] = []
    for (let round = 1; round <= 5; round++) {
      const ids = await writeAndKill(`sqlite:${path}`, 200)
      assert.ok(ids.length >= 200, `round ${round}: ${ids.length} acknowledged`)
      acknowledged.push(...ids)
    }
    const database = new DatabaseSync(path)
    const stored = new Set(
      database
        .prepare('SELECT id FROM leads')
        .all()
        .map(({ id }) => id),
    )
    const incomplete = database.prepare(`
      SELECT id FROM leads LEFT JOIN claims ON lead_id = id WHERE lead_id IS NULL`)
    assert.deepEqual(incomplete.all(), [])
    database.close()
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
  })

  test('locked by another process is waited for', { timeout: 30_000 }, async (t) => {
    const errors: unknown[] = []
    const { store, other } = await openBoth(t, (error) => errors.push(error))
    other.exec('BEGIN IMMEDIATE')
    const submitted = store.submit(makeLead())
    await setTimeout(2_500)
    assert.match(String(errors[0]), /sqlite_5: database is locked/)
    const health = await store.check()
    assert.ok(!health.ok && health.reason.includes('database is locked'))
    other.exec('COMMIT')
    assert.deepEqual(await submitted, { kind: 'created' })
    assert.deepEqual(await store.check(), { ok: true })
  })

  test('locked for long by another process: 503 in time, and nothing is stored later', {
    timeout: 30_000,
  }, async (t) => {
    const { store, other } = await openBoth(t)
    other.exec('BEGIN IMMEDIATE')
    const startedMs = runningMs()
    await assert.rejects(
      store.submit(makeLead()),
      (error) => error instanceof LeadError && error.code === 'service_unavailable' && error.retryAfterSeconds === 5,
    )
    // The store gives up after five seconds; the rest is for a slow machine.
    assert.ok(runningMs() - startedMs < 10_000)
    // The attempt in progress at the deadline is the last one.
    await setTimeout(1_500)
    other.exec('COMMIT')
    assert.deepEqual(await store.submit(makeLead()), { kind: 'created' })
    assert.deepEqual({ ...other.prepare('SELECT count(*) AS leads FROM leads').get() }, { leads: 1 })
  })

  test('that is not a database is refused at the start, and no thread keeps running', async () => {
    const path = join(newFolder(), 'leads.db')
    writeFileSync(path, 'not a database, and long enough to be taken for one if nobody looked'.repeat(20))
    await assert.rejects(openStore({ url: `sqlite:${path}` }), StoreError)
  })

  test('in an unwritable place is refused at the start', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    await assert.rejects(openStore({ url: `sqlite:${join(file, 'leads.db')}` }), StoreError)
  })

  test('in memory is refused, because leads would be lost', async () => {
    await assert.rejects(openStore({ url: 'sqlite::memory:' }), TypeError)
    await assert.rejects(openStore({ url: 'sqlite:' }), TypeError)
    await assert.rejects(openStore({ url: 'mysql://127.0.0.1/leads' }), TypeError)
  })
})
