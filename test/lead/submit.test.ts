import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError, pointerTo } from '../../src/lead/error.ts'
import { decodeEvidence, decodePersonal } from '../../src/lead/evidence.ts'
import { contentHash, keyHash, sha256 } from '../../src/lead/fingerprint.ts'
import { parseIdempotencyKey } from '../../src/lead/idempotency-key.ts'
import type { NewLead, StoreOutcome, SubmissionOrigin } from '../../src/lead/submission.ts'
import { createSubmit } from '../../src/lead/submit.ts'
import { consent } from '../support/evidence.ts'
import { contact, nowMs, quote } from '../support/submissions.ts'

const options = { nowMs, acceptTestLeads: true } as const
const origin: SubmissionOrigin = {
  requestId: 'r',
  path: 'rest-v1',
  keyScope: '192.0.2.1',
  clientAddress: '192.0.2.1',
  userAgent: 'test',
}
const print = (body: object) => contentHash(checkLead({ ...body }, options))

function setUp(outcome: StoreOutcome = { kind: 'created' }, duplicateWindowHours = 24, known?: StoreOutcome) {
  const stored: NewLead[] = []
  const store = {
    find: async () => known,
    async add(lead: NewLead) {
      stored.push(lead)
      return outcome
    },
  }
  return {
    stored,
    submit: createSubmit({
      store,
      now: () => nowMs,
      acceptTestLeads: true,
      duplicateWindowHours,
      consent,
    }),
  }
}

suite('the content hash', () => {
  test('ignores the order of members, white space, and the format of phone numbers', () => {
    const members = fc.shuffledSubarray(Object.keys(quote), { minLength: Object.keys(quote).length })
    const writings = fc.constantFrom('2025550123', '+1 (202) 555-0123', ' 202.555.0123 ', '1-202-555-0123')
    fc.assert(
      fc.property(members, writings, (names, phone) => {
        const body = Object.fromEntries(names.map((name) => [name, quote[name]]))
        assert.equal(print({ ...body, phone }), print(quote))
      }),
    )
  })

  test('ignores when and where consent was given', () => {
    assert.equal(
      print({ ...quote, consentTimestamp: '2026-11-20T00:00:00Z', pageUrl: 'https://example.org/' }),
      print(quote),
    )
  })

  test('depends on the kind and on every customer field', () => {
    const prints = new Set([print(quote), print(contact)])
    const changed = {
      name: 'B',
      phone: '2025550124',
      email: 'b@example.com',
      bedrooms: '4',
      bathrooms: '4',
      service: 'B',
      notes: 'B',
    }
    for (const [name, value] of Object.entries(changed)) prints.add(print({ ...quote, [name]: value }))
    for (const name of ['name', 'helpWith', 'message']) prints.add(print({ ...contact, [name]: 'B' }))
    assert.equal(prints.size, 2 + 7 + 3)
  })

  test('cannot collide by moving text from one field to the next', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z",:\\]{2,12}$/), fc.integer({ min: 1, max: 10 }), (text, at) => {
        const cut = Math.min(at, text.length - 1)
        const one = print({ ...quote, service: text.slice(0, cut), notes: text.slice(cut) })
        const other = print({ ...quote, service: text, notes: text.slice(cut) })
        assert.notEqual(one, other)
      }),
    )
  })
})

suite('parseIdempotencyKey', () => {
  test('treats quoted and bare keys as equal', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_.:+/=-]{1,255}$/), (key) => {
        assert.equal(parseIdempotencyKey(key), key)
        assert.equal(parseIdempotencyKey(`"${key}"`), key)
      }),
    )
  })

  test('accepts 255 characters, which escapes do not count towards, and everything that may be quoted', () => {
    const longest = 'x'.repeat(255)
    for (const [field, key] of [
      [longest, longest],
      [`"${longest}"`, longest],
      [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
      ['"a b"', 'a b'],
      ['"a\\"b\\\\c"', 'a"b\\c'],
    ] as const)
      assert.equal(parseIdempotencyKey(field), key)
  })

  test('refuses everything else, and tells the mistake', () => {
    const mistakes: [fields: string[], hint: RegExp | undefined][] = [
      [
        ['a b', 'a,b', 'a;b', 'a\\b', `${'x'.repeat(254)} `],
        /space, comma, semicolon or backslash.*quotes make it valid/,
      ],
      [['a, b', '"a", "b"'], /one Idempotency-Key header/],
      [['k\u00e9 y'], /outside printable ASCII/],
      [['"', '"a', 'a"', '"a\\b"'], /^Quotes stand at both ends/],
      [['', 'x'.repeat(256), `"${'x'.repeat(256)}"`, `${'x'.repeat(255)} `], undefined],
      [['""', '"a";p=1', 'k\u00e9y', '"\u0000"'], /./],
    ]
    for (const [fields, hint] of mistakes) {
      for (const field of fields) {
        assert.throws(
          () => parseIdempotencyKey(field),
          (error: LeadError) => {
            assert.equal(error.code, 'idempotency_key_invalid')
            if (hint) assert.match(error.hint ?? '', hint, field)
            else assert.equal(error.hint, undefined, field)
            return true
          },
        )
      }
    }
  })
})

suite('submit', () => {
  test('passes the lead with its consent record, hashes and windows to the store', async () => {
    const { stored, submit } = setUp()
    const { outcome, receipt } = await submit({ candidate: quote, idempotencyKey: '"k"', origin })
    const [lead] = stored
    assert(lead)
    assert.equal(outcome, 'created')
    assert.deepEqual(receipt, { id: lead.id, formType: 'quote', receivedAt: '2026-11-21T09:30:00.000Z' })
    assert.match(receipt.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(lead.contentUntil, '2026-11-22T09:30:00.000Z')
    assert.equal(lead.keyUntil, '2026-11-22T09:30:00.000Z')
    assert.equal(lead.keyHash, keyHash('192.0.2.1', 'k'))
    const { random, ...personal } = decodePersonal(lead.personal)
    assert.deepEqual(personal, {
      content: { ...checkLead(quote, options).content },
      clientAddress: '192.0.2.1',
      userAgent: 'test',
    })
    assert.equal(Buffer.from(random, 'base64url').length, 32)
    assert.deepEqual(decodeEvidence(lead.evidence), {
      communicationsConsent: true,
      consentTimestamp: quote.consentTimestamp,
      path: 'rest-v1',
      purpose: 'contact about this quote request',
      termsVersion: consent.wording.version,
      wordingSha256: consent.wording.sha256,
      statementSha256: consent.statement.sha256,
      requestId: 'r',
      personalSha256: sha256(lead.personal),
    })
  })

  test('gives no two leads the same random bytes', async () => {
    const { stored, submit } = setUp()
    for (let count = 0; count < 300; count++) await submit({ candidate: quote, idempotencyKey: undefined, origin })
    assert.equal(new Set(stored.map(({ personal }) => decodePersonal(personal).random)).size, 300)
  })

  test('treats the same key in another scope as a different key', async () => {
    const { stored, submit } = setUp()
    for (const keyScope of ['192.0.2.1', '192.0.2.2', 'rpc', '192.0.2.1']) {
      await submit({ candidate: quote, idempotencyKey: 'k', origin: { ...origin, keyScope } })
    }
    const [first, second, third, again] = stored.map((lead) => lead.keyHash)
    assert.equal(new Set([first, second, third]).size, 3)
    assert.equal(again, first)
  })

  test('records a contact message without consent', async () => {
    const { stored, submit } = setUp()
    await submit({ candidate: contact, idempotencyKey: undefined, origin })
    assert.equal(decodeEvidence(String(stored[0]?.evidence)).communicationsConsent, null)
    assert.equal(stored[0]?.keyHash, null)
  })

  test("records the calling system, and whether it sent the customer's origin", async () => {
    const { stored, submit } = setUp()
    const calling = { path: 'rpc', caller: 'site.internal', originSent: true } as const
    await submit({ candidate: quote, idempotencyKey: undefined, origin: { ...origin, ...calling } })
    const { path, caller, originSent } = decodeEvidence(String(stored[0]?.evidence))
    assert.deepEqual({ path, caller, originSent }, calling)
  })

  test('remembers a key for a day even without a duplicate window', async () => {
    const { stored, submit } = setUp({ kind: 'created' }, 0)
    await submit({ candidate: quote, idempotencyKey: 'k', origin })
    assert.equal(stored[0]?.contentUntil, null)
    assert.equal(stored[0]?.keyUntil, '2026-11-22T09:30:00.000Z')
  })

  test('returns the original receipt for a replay and a duplicate, and refuses a reused key', async () => {
    const receipt = { id: 'first', formType: 'quote', receivedAt: '2026-11-20T00:00:00.000Z' } as const
    for (const kind of ['replayed', 'duplicate'] as const) {
      assert.deepEqual(await setUp({ kind, receipt }).submit({ candidate: quote, idempotencyKey: 'k', origin }), {
        outcome: kind,
        receipt,
      })
    }
    await assert.rejects(setUp({ kind: 'key_reused' }).submit({ candidate: quote, idempotencyKey: 'k', origin }), {
      code: 'idempotency_key_reused',
    })
  })

  test('finds a replay when new leads are refused, and stores nothing then', async () => {
    const receipt = { id: 'first', formType: 'quote', receivedAt: '2026-11-20T00:00:00.000Z' } as const
    const over = new LeadError('overloaded', 'The ceiling is used up.')
    for (const known of [{ kind: 'replayed', receipt } as const, undefined]) {
      const { stored, submit } = setUp({ kind: 'created' }, 24, known)
      const answer = submit({ candidate: quote, idempotencyKey: 'k', origin, ceilingError: () => over })
      if (known) assert.deepEqual(await answer, { outcome: 'replayed', receipt })
      else await assert.rejects(answer, over)
      assert.deepEqual(stored, [])
    }
  })

  test('checks the fields before the key, and stores nothing that it refuses', async () => {
    const { stored, submit } = setUp()
    await assert.rejects(submit({ candidate: { ...quote, phone: '1' }, idempotencyKey: '"', origin }), {
      code: 'validation_failed',
    })
    await assert.rejects(submit({ candidate: quote, idempotencyKey: '"', origin }), {
      code: 'idempotency_key_invalid',
    })
    assert.equal(stored.length, 0)
  })
})

test('a pointer is a URI fragment that parses back to the member name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (member) => {
      const pointer = pointerTo(member)
      assert.match(pointer, /^#\/[!-~]{0,129}$/)
      const read = decodeURIComponent(pointer.slice(2)).replaceAll('~1', '/').replaceAll('~0', '~')
      // The start of a name that is too long to show, and an ellipsis.
      if (read === member) return
      assert(read.endsWith('…') && encodeURIComponent(member).length > 100, read)
      assert(member.startsWith(read.slice(0, -1)))
    }),
  )
  assert.equal(pointerTo('\ud800'), '#/%EF%BF%BD')
  assert(new LeadError('overloaded', 'x').faults.length === 0)
})
