import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkConsent } from '../../src/lead/consent-check.ts'
import type { StoredConsent, StoredLead } from '../../src/lead/stored-lead.ts'
import { createMemoryInbox, storedLead } from './memory-inbox.ts'

async function check(...leads: StoredLead[]) {
  const store = createMemoryInbox()
  store.leads = leads
  return checkConsent(store)
}

function withConsent(position: number, changes: Partial<StoredConsent>): StoredLead {
  const lead = storedLead(position)
  return { ...lead, consent: lead.consent && { ...lead.consent, ...changes } }
}

suite('a check of the consent records', () => {
  test('looks at every lead, and counts the erased ones apart', async () => {
    const store = createMemoryInbox()
    store.add(1_234)
    await store.erase(String(store.leads[700]?.id), { at: '2026-11-21T12:00:00.000Z', reason: 'request' })
    assert.deepEqual(await checkConsent(store), { leads: 1_234, erased: 1, failures: [] })
    assert.deepEqual(await check(), { leads: 0, erased: 0, failures: [] })
  })

  const cases: [title: string, lead: StoredLead, failure: string][] = [
    ['another content', storedLead(1, { content: '{"name":"Another Example"}' }), 'content_altered'],
    ['another hash', withConsent(1, { contentSha256: '0'.repeat(64) }), 'content_altered'],
    ['a wording that was never in force', withConsent(1, { wordingSha256: '0'.repeat(64) }), 'wording_unknown'],
    ['a version that never was', withConsent(1, { termsVersion: '1999-01-01' }), 'wording_unknown'],
    ['another time of receipt', withConsent(1, { receivedAt: '2020-01-01T00:00:00.000Z' }), 'time_altered'],
    ['no record', storedLead(1, { consent: null }), 'no_record'],
  ]
  for (const [title, lead, failure] of cases) {
    test(`finds ${title}, and says of which lead`, async () => {
      const { failures } = await check(lead, storedLead(2))
      assert.deepEqual(failures, [{ id: lead.id, failure }])
    })
  }
})
