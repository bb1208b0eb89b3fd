import type { LeadKind } from '../../../src/lead/submission.ts'
import { consentRule } from '../../../src/lead/wording.ts'
import { commentOf } from '../comments.ts'
import { type FieldFact, kindFacts, kindSelector } from '../facts/fields.ts'

/** What a caller should send, where the proto file's pattern takes more than ASCII. */
const canonicalPatterns: Readonly<Record<string, string>> = {
  phone: '^(?:\\+?1[-. ]?)?\\(?[0-9]{3}\\)?[-. ]?[0-9]{3}[-. ]?[0-9]{4}$',
  pageUrl: '^https?://[A-Za-z0-9.-]+(?::[0-9]{1,4})?(?:[/?#][!-[\\]-~]*)?$',
}

/** A field's pattern: canonical, short and in ASCII. The service takes more spellings. */
const patternOf = ({ name, patternText }: FieldFact) => canonicalPatterns[name] ?? (patternText || undefined)

/** The schemas of submissions, from the proto files' messages and rules: either kind, and each. */
export function createLeadSchemas(): Record<string, object> {
  const { quote, support } = kindFacts
  return {
    Lead: {
      description: 'One lead of either kind. `formType` decides which: absent or `quote`, or `support`.',
      oneOf: [quote, support].map(({ message }) => ({ $ref: `#/components/schemas/${message}` })),
    },
    [quote.message]: leadSchema('quote'),
    [support.message]: leadSchema('support'),
  }
}

function leadSchema(kind: LeadKind): object {
  const { message, fields } = kindFacts[kind]
  const selector = { type: 'string', const: kind, description: kindSelector.description[kind] }
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: 'object',
    description: commentOf(message).replace(/^\w+ is/, 'This is'),
    additionalProperties: false,
    required: kind === 'quote' ? required : [kindSelector.name, ...required],
    properties: {
      [kindSelector.name]: selector,
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    },
  }
}

function fieldSchema(field: FieldFact): object {
  const { type, description, maxLength, mustBe, faults } = field
  if (type === 'boolean') {
    // The rule comes first, because a long wording is cut off.
    const text = `Only the JSON value true. ${consentRule} The wording (version {{wordingVersion}}): "{{wording}}"`
    return { type, description: text, const: mustBe ?? null }
  }
  const isText = field.pattern === undefined
  return {
    type,
    description,
    minLength: isText ? 1 : undefined,
    maxLength: Number.isFinite(maxLength) ? maxLength : undefined,
    // One character that is not white space: blank text counts as missing.
    pattern: isText ? '[!-~]' : patternOf(field),
    format: faults.value.code === 'invalid_date_time' ? 'date-time' : undefined,
  }
}
