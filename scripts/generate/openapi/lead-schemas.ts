import type { LeadKind } from '../../../src/lead/submission.ts'
import { consentRule } from '../../../src/lead/wording.ts'
import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { commentOf } from '../comments.ts'
import { exampleOf } from '../facts/examples.ts'
import { type FieldFact, kindFacts, kindSelector } from '../facts/fields.ts'
import { wirePattern } from './wire-pattern.ts'

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
    description: `${commentOf(message).replace(/^\w+ is/, 'This is')} \`maxLength\` and \`format\` describe the value without the white space around it. Unknown members are refused.`,
    additionalProperties: false,
    required: kind === 'quote' ? required : [kindSelector.name, ...required],
    properties: {
      [kindSelector.name]: selector,
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, exampleOf(kind, field.name))])),
    },
  }
}

function fieldSchema(field: FieldFact, example: string | boolean): object {
  const { name, type, description, required, maxLength, patternText, mustBe, faults } = field
  if (type === 'boolean') {
    // The rule comes first, because a long wording is cut off.
    const text = `Only the JSON value true. ${consentRule} The wording (version {{wordingVersion}}): "{{wording}}"`
    return { type, description: text, const: mustBe ?? null }
  }
  return {
    type,
    description,
    minLength: required ? 1 : undefined,
    // A field without its own limit is only limited by the body.
    maxLength: Math.min(maxLength, bodyMaxBytes),
    pattern: wirePattern(name, patternText),
    format: faults.value.code === 'invalid_date_time' ? 'date-time' : undefined,
    examples: [example],
  }
}
