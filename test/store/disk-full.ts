// Runs in a container with a small /data, for sqlite.test.ts: fills the disk, frees space again, and fails if the store
// does not tell, refuses wrongly or loses a lead.
import assert from 'node:assert/strict'
import { statfsSync, unlinkSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '../../src/store/open.ts'
import { until } from '../support/until.ts'
import { makeLead } from './leads.ts'

const store = await openStore({ url: 'sqlite:/data/leads.db' })
const leads = [makeLead(), makeLead()]
await store.add(leads[0] as (typeof leads)[0])
const { bavail, bsize } = statfsSync('/data')
writeFileSync('/data/ballast', Buffer.alloc(bavail * bsize))
await until('it is known', async () => !(await store.check()).ok)
assert.deepEqual(await store.check(), { ok: false, reason: 'sqlite_13: database or disk is full' })
const refusals = await Promise.allSettled(Array.from({ length: 40 }, () => store.add(makeLead())))
for (const refusal of refusals)
  assert.ok(refusal.status === 'rejected' && refusal.reason.code === 'service_unavailable', JSON.stringify(refusal))
unlinkSync('/data/ballast')
await until('it is cleared', async () => (await store.check()).ok)
await store.add(leads[1] as (typeof leads)[0])
await store.close()
const stored = new DatabaseSync('/data/leads.db').prepare('SELECT id FROM leads ORDER BY position').all()
assert.deepEqual(
  stored.map(({ id }) => id),
  leads.map(({ id }) => id),
)
