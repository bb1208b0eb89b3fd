import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { checkValue } from '../../src/lead/check-value.ts'
import { normalizeField } from '../../src/lead/normalize.ts'
import { type FieldRule, kindField, leadMessages, leadRules } from '../../src/lead/rules.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { contact, nowMs, options, quote } from '../support/submissions.ts'

/** Texts around the bounds of a rule: of its pattern, almost of it, and too long. */
function textsFor({ name, pattern, maxLength }: FieldRule): fc.Arbitrary<string> {
  const any = fc.string({ unit: 'grapheme' })
  const good = pattern ? fc.stringMatching(new RegExp(pattern.source.replace(/^\^|\$$/g, '')), { size: 'small' }) : any
  const near = fc
    .tuple(good, fc.nat(8), fc.constantFrom(...'0-.@:/ +x'))
    .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at))
  const long = fc.constantFrom(0, 1).map((more) => 'é'.repeat(Math.min(maxLength, 9_000) + more))
  return fc.oneof(any, good, near, long).map((text) => normalizeField(name, text))
}

test('the compiled rules judge each field as protovalidate does', () => {
  const validator = createValidator()
  for (const [kind, body] of Object.entries({ quote, support: contact }) as [LeadKind, typeof quote][]) {
    const { [kindField]: _, ...good } = checkLead(body, options).content
    for (const rule of leadRules[kind]) {
      const values = rule.type === 'string' ? textsFor(rule).filter(Boolean) : fc.boolean()
      fc.assert(
        fc.property(fc.option<unknown>(values, { nil: undefined }), (value) => {
          const { kind: verdict } = validator.validate(
            leadMessages[kind],
            create(leadMessages[kind], { ...good, [rule.name]: value }),
          )
          const result = checkValue(rule, value, nowMs)
          // Judged by code alone: placeholders, payment cards, and whether a date exists.
          const isOurs =
            typeof result === 'object' &&
            (/placeholder|payment_card/.test(result.code) || (rule.name === 'consentTimestamp' && verdict === 'valid'))
          if (!isOurs) assert.equal(typeof result === 'object', verdict === 'invalid', `${rule.name}: ${value}`)
        }),
      )
    }
  }
})
