import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkConsent } from '../../src/lead/consent-check.ts'
import { createSeal } from '../../src/lead/consent-seal.ts'
import { sha256 } from '../../src/lead/fingerprint.ts'
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
    assert.deepEqual(await checkConsent(store), { leads: 1_234, erased: 1, sealed: 0, failures: [] })
    assert.deepEqual(await check(), { leads: 0, erased: 0, sealed: 0, failures: [] })
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

suite('a check of the seals', () => {
  const seal = createSeal('a key outside the database')

  /** A lead as the service stores it with a key. */
  function sealed(position: number, changes: Partial<StoredLead> = {}): StoredLead {
    const lead = storedLead(position, changes)
    const { consent } = lead
    return { ...lead, consent: consent && { ...consent, seal: seal({ ...lead, consent }) } }
  }

  async function checkSeals(...leads: StoredLead[]) {
    const store = createMemoryInbox()
    store.leads = leads
    return checkConsent(store, seal)
  }

  const altered = (lead: StoredLead, changes: Partial<StoredConsent>): StoredLead => ({
    ...lead,
    consent: lead.consent && { ...lead.consent, ...changes },
  })

  test('counts those that hold, erased leads and those from before there was a key included', async () => {
    const store = createMemoryInbox()
    store.leads = [storedLead(1), sealed(2), sealed(3, { kind: 'support' })]
    await store.erase(String(store.leads[1]?.id), { at: '2026-11-21T12:00:00.000Z', reason: 'request' })
    assert.deepEqual(await checkConsent(store, seal), { leads: 3, erased: 1, sealed: 2, failures: [] })
  })

  test('finds every alteration of the record, and of the lead, though the hashes are made to fit', async () => {
    const lead = sealed(1)
    const content = JSON.stringify({ name: 'Another Example' })
    const receivedAt = '2020-01-01T00:00:00.000Z'
    const cases: StoredLead[] = [
      altered(lead, { communicationsConsent: null }),
      altered(lead, { consentTimestamp: null }),
      altered(lead, { path: 'rpc' }),
      altered(lead, { purpose: 'anything' }),
      altered(lead, { requestId: 'another' }),
      altered(lead, { seal: '0'.repeat(64) }),
      { ...altered(lead, { contentSha256: sha256(content) }), content },
      { ...altered(lead, { receivedAt }), receivedAt },
      { ...lead, kind: 'support' },
      { ...lead, consent: sealed(2).consent },
    ]
    for (const each of cases) {
      const { failures, sealed: holding } = await checkSeals(each)
      assert.ok(failures.some(({ failure }) => failure === 'seal_broken'))
      assert.equal(holding, 0)
    }
  })

  test('finds a seal that was removed, once there are seals', async () => {
    const bare = altered(sealed(2), { seal: null })
    assert.deepEqual((await checkSeals(sealed(1), bare)).failures, [{ id: bare.id, failure: 'seal_missing' }])
    assert.deepEqual((await checkSeals(bare, sealed(3))).failures, [])
  })

  test('takes another key for a broken seal, and none for no question', async () => {
    const store = createMemoryInbox()
    store.leads = [sealed(1)]
    const { failures } = await checkConsent(store, createSeal('another key of some length'))
    assert.deepEqual(
      failures.map(({ failure }) => failure),
      ['seal_broken'],
    )
    assert.deepEqual((await checkConsent(store)).failures, [])
  })
})
