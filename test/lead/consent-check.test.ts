import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkConsent } from '../../src/lead/consent-check.ts'
import type { StoredLead } from '../../src/lead/stored-lead.ts'
import { createMemoryInbox, storedLead } from './memory-inbox.ts'

suite('a check of the evidence', () => {
  test('looks at every lead, and counts the erased ones apart', async () => {
    const store = createMemoryInbox()
    store.add(1_234)
    const erasure = { at: '2026-11-21T12:00:00.000Z', reason: 'request', caller: null } as const
    await store.erase(String(store.leads[700]?.id), erasure)
    assert.deepEqual(await checkConsent(store), { leads: 1_234, erased: 1, failures: [] })
    assert.deepEqual(await checkConsent(createMemoryInbox()), { leads: 0, erased: 0, failures: [] })
  })

  const cases: [title: string, changes: Partial<StoredLead>, failure: string][] = [
    ['another personal part', { personal: '{"content":{"name":"Another Example"}}' }, 'personal_altered'],
    ['a personal part that is gone without an erasure', { personal: null }, 'personal_missing'],
  ]
  for (const [title, changes, failure] of cases) {
    test(`finds ${title}, and says of which lead`, async () => {
      const store = createMemoryInbox()
      const lead = { ...storedLead(1), ...changes }
      store.leads = [lead, storedLead(2)]
      assert.deepEqual((await checkConsent(store)).failures, [{ id: lead.id, failure }])
    })
  }
})
