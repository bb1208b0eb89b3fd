// Runs in a container with a small /data: fills it, records what the store reports, and frees space again. Prints one
// JSON line for sqlite.test.ts.
import { statfsSync, unlinkSync, writeFileSync } from 'node:fs'
import { LeadError } from '../../src/lead/error.ts'
import { openStore } from '../../src/store/open.ts'
import { until } from '../support/until.ts'
import { makeLead } from './leads.ts'

const store = await openStore({ url: 'sqlite:/data/leads.db' })
const acknowledged: string[] = []

async function submit(): Promise<string> {
  const lead = makeLead()
  try {
    await store.add(lead)
    acknowledged.push(lead.id)
    return 'created'
  } catch (error) {
    return error instanceof LeadError ? error.code : String(error)
  }
}

/** Waits for the expected answer, since an answer is cached for a second. */
async function checkUntil(ok: boolean): Promise<string> {
  const isChanged = async () => (await store.check()).ok === ok
  await until('a change', isChanged)
  const health = await store.check()
  return health.ok ? 'ok' : health.reason
}

const before = await submit()
const { bavail, bsize } = statfsSync('/data')
writeFileSync('/data/ballast', Buffer.alloc(bavail * bsize))
const unhealthy = await checkUntil(false)
const full = await Promise.all(Array.from({ length: 40 }, submit))
unlinkSync('/data/ballast')
const healthy = await checkUntil(true)
const after = await submit()
await store.close()

const { DatabaseSync } = await import('node:sqlite')
const stored = new DatabaseSync('/data/leads.db')
  .prepare('SELECT id FROM leads')
  .all()
  .map(({ id }) => id)
const lost = acknowledged.filter((id) => !stored.includes(id))
console.log(JSON.stringify({ before, unhealthy, full: [...new Set(full)], healthy, after, lost }))
