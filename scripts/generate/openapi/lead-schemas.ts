import type { LeadKind } from '../../../src/lead/submission.ts'
import { consentRule } from '../../../src/lead/wording.ts'
import { commentOf } from '../comments.ts'
import { type FieldFact, kindFacts, kindSelector } from '../facts/fields.ts'
import { phoneCharacters, wirePattern } from './wire-pattern.ts'

/** The parts of fields that have the same pattern, by one of them. */
const parts = { Line: 'name', FreeText: 'notes', Phone: 'phone', Email: 'email', Count: 'bedrooms' } as const

const patternOf = ({ name, patternText }: FieldFact) => wirePattern(name, patternText)

/** The patterns of the parts. */
const partPatterns = new Map(
  Object.entries(parts).map(([part, name]) => {
    const field = kindFacts.quote.fields.find((one) => one.name === name)
    if (!field) throw new Error(`no field ${name}`)
    return [patternOf(field), part]
  }),
)

/** The schemas of submissions, from the proto files' messages and rules: either kind, each, and what fields share. */
export function createLeadSchemas(): Record<string, object> {
  const { quote, support } = kindFacts
  return {
    Lead: {
      description: 'One lead of either kind. `formType` decides which: absent or `quote`, or `support`.',
      oneOf: [quote, support].map(({ message }) => ({ $ref: `#/components/schemas/${message}` })),
    },
    [quote.message]: leadSchema('quote'),
    [support.message]: leadSchema('support'),
    ...Object.fromEntries(Array.from(partPatterns, ([pattern, part]) => [part, partSchema(part, pattern)])),
  }
}

/** A phone number needs two patterns, or its characters would be repeated in one. */
const partSchema = (part: string, pattern: string) => ({
  type: 'string',
  pattern,
  ...(part === 'Phone' && { allOf: [{ pattern: phoneCharacters }] }),
})

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
  const pattern = patternOf(field)
  const part = partPatterns.get(pattern)
  return {
    type,
    description,
    maxLength: Number.isFinite(maxLength) ? maxLength : undefined,
    // Importers that ignore what stands beside `$ref` do not ignore it beside `allOf`.
    ...(part ? { allOf: [{ $ref: `#/components/schemas/${part}` }] } : { pattern }),
    format: faults.value.code === 'invalid_date_time' ? 'date-time' : undefined,
  }
}
