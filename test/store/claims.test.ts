import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NewLead } from '../../src/lead/submission.ts'
import { type Claim, type ClaimTable, judge, storeLeads } from '../../src/store/claims.ts'
import { StoreError } from '../../src/store/error.ts'
import { makeLead, noon, receiptOf } from './leads.ts'

const hourMs = 3_600_000
const later = (hours: number) => noon + hours * hourMs

/** The rows that a stored lead has in the table of claims. */
function claimsOf({ id, receivedAt, contentHash, contentUntil, keyHash, keyUntil }: NewLead): Claim[] {
  const row = { leadId: id, receivedAt, content: contentHash }
  return [
    ...(contentUntil === null ? [] : [{ ...row, key: contentHash, endsAt: contentUntil }]),
    ...(keyHash === null || keyUntil === null ? [] : [{ ...row, key: keyHash, endsAt: keyUntil }]),
  ]
}

const nothingStored: ReadonlySet<string> = new Set()

describe('the outcome of a lead that was not inserted', () => {
  const first = makeLead({ words: 'same', key: 'k' })
  const claims = claimsOf(first)

  const cases: [title: string, lead: NewLead, outcome: string | undefined][] = [
    ['same key, same content', makeLead({ words: 'same', key: 'k' }), 'replayed'],
    ['same key, different content', makeLead({ words: 'other', key: 'k' }), 'key_reused'],
    ['same content without a key', makeLead({ words: 'same' }), 'duplicate'],
    ['same content, different key', makeLead({ words: 'same', key: 'other' }), 'duplicate'],
    ['same content where content is never a duplicate', makeLead({ words: 'same', contentHours: 0 }), undefined],
    ['different content, different key', makeLead({ words: 'other', key: 'other' }), undefined],
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
      const judged = judge(lead, { stored: nothingStored, claims })
      assert.equal(judged?.kind, outcome)
      if (judged?.kind === 'replayed' || judged?.kind === 'duplicate') {
        assert.deepEqual(judged.receipt, receiptOf(first))
      }
    })
  }

  test('stored by an earlier attempt: created', () => {
    assert.deepEqual(judge(first, { stored: new Set([first.id]), claims }), { kind: 'created' })
  })

  test('the key is checked before the content, even if another row claims it', () => {
    const byContent = makeLead({ words: 'other' })
    const lead = makeLead({ words: 'other', key: 'k' })
    assert.deepEqual(judge(lead, { stored: nothingStored, claims: [...claimsOf(byContent), ...claims] }), {
      kind: 'key_reused',
    })
  })

  test('an expired key does not hide a valid content claim', () => {
    const lead = makeLead({ words: 'long', key: 'k', contentHours: 48 })
    const copy = makeLead({ words: 'long', key: 'k', atMs: later(30) })
    assert.deepEqual(judge(copy, { stored: nothingStored, claims: claimsOf(lead) }), {
      kind: 'duplicate',
      receipt: receiptOf(lead),
    })
  })
})

describe('storing leads', () => {
  test('fails as transient when the claims of a lead keep changing', async () => {
    const restless: ClaimTable = {
      insert: async () => [],
      find: async () => ({ stored: nothingStored, claims: [] }),
    }
    await assert.rejects(storeLeads(restless, [makeLead()]), (error) => error instanceof StoreError && error.transient)
  })

  test('runs no lookup for a batch of new leads only', async () => {
    const table: ClaimTable = {
      insert: async (leads) => leads.map(({ id }) => id),
      find: () => assert.fail('looked up'),
    }
    assert.deepEqual(await storeLeads(table, [makeLead(), makeLead()]), [{ kind: 'created' }, { kind: 'created' }])
  })
})
