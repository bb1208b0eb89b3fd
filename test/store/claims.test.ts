import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NewLead } from '../../src/lead/submission.ts'
import { type Claim, type ClaimTable, judge, storeLeads } from '../../src/store/claims.ts'
import { StoreError } from '../../src/store/error.ts'
import { makeLead, noon, receiptOf } from './leads.ts'

const hourMs = 3_600_000
const later = (hours: number) => noon + hours * hourMs

function claimOf(lead: NewLead): Claim {
  const { fingerprint, contentUntil, keyHash, keyUntil } = lead
  return { receipt: receiptOf(lead), fingerprint, contentUntil, keyHash, keyUntil }
}

describe('what becomes of a lead by the rows in its way', () => {
  const first = makeLead({ words: 'same', key: 'k' })
  const claims = [claimOf(first)]

  const cases: [title: string, lead: NewLead, outcome: string | undefined][] = [
    ['its own row: an earlier attempt has stored it', first, 'created'],
    ['same key, same content', makeLead({ words: 'same', key: 'k' }), 'replayed'],
    ['same key, other content', makeLead({ words: 'other', key: 'k' }), 'key_reused'],
    ['same content without a key', makeLead({ words: 'same' }), 'duplicate'],
    ['same content, other key', makeLead({ words: 'same', key: 'other' }), 'duplicate'],
    ['same content where content is never a duplicate', makeLead({ words: 'same', contentHours: 0 }), undefined],
    ['other content, other key', makeLead({ words: 'other', key: 'other' }), undefined],
    [
      'same key and content, at the end of both windows',
      makeLead({ words: 'same', key: 'k', atMs: later(24) }),
      undefined,
    ],
    ['same content, a millisecond before the end', makeLead({ words: 'same', atMs: later(24) - 1 }), 'duplicate'],
    ['same key, a millisecond before the end', makeLead({ words: 'same', key: 'k', atMs: later(24) - 1 }), 'replayed'],
  ]
  for (const [title, lead, outcome] of cases) {
    test(`${title}: ${outcome ?? 'nothing holds'}`, () => {
      const judged = judge(lead, claims)
      assert.equal(judged?.kind, outcome)
      if (judged?.kind === 'replayed' || judged?.kind === 'duplicate') {
        assert.deepEqual(judged.receipt, receiptOf(first))
      }
    })
  }

  test('the key is judged before the content, though another row holds that', () => {
    const byContent = makeLead({ words: 'other' })
    const lead = makeLead({ words: 'other', key: 'k' })
    assert.deepEqual(judge(lead, [claimOf(byContent), ...claims]), { kind: 'key_reused' })
  })

  test('a key that has ended leaves a content that holds', () => {
    const lead = makeLead({ words: 'long', key: 'k', contentHours: 48 })
    const copy = makeLead({ words: 'long', key: 'k', atMs: later(30) })
    assert.deepEqual(judge(copy, [claimOf(lead)]), { kind: 'duplicate', receipt: receiptOf(lead) })
  })
})

describe('storing leads', () => {
  test('gives up for now when the claims of a lead keep changing', async () => {
    const restless: ClaimTable = {
      insert: async () => new Set(),
      find: async () => [],
      release: async () => {},
    }
    await assert.rejects(storeLeads(restless, [makeLead()]), (error) => error instanceof StoreError && error.transient)
  })

  test('looks nothing up for a batch that is new as a whole', async () => {
    const table: ClaimTable = {
      insert: async (leads) => new Set(leads.map(({ id }) => id)),
      find: () => assert.fail('looked up'),
      release: () => assert.fail('released'),
    }
    assert.deepEqual(await storeLeads(table, [makeLead(), makeLead()]), [{ kind: 'created' }, { kind: 'created' }])
  })
})
