import { consentRule } from '../../../src/lead/wording.ts'
import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { commentOf } from '../comments.ts'
import { exampleOf } from '../facts/examples.ts'
import { type KindFact, kindFacts, kindSelector, statement } from '../facts/fields.ts'
import { type JsonObject, ref } from './schema-parts.ts'
import { wirePattern } from './wire-pattern.ts'

/** The schemas of submissions, from the proto files' messages and rules: each kind, and either. */
export function createLeadSchemas(): Record<string, JsonObject> {
  return {
    Lead: {
      description: 'One lead of either kind. `formType` decides which: absent or `quote`, or `support`.',
      oneOf: kindFacts.map(({ message }) => ref('schemas', message)),
    },
    ...Object.fromEntries(kindFacts.map((kind) => [kind.message, leadSchema(kind)])),
  }
}

function leadSchema({ kind, fullName, fields }: KindFact): JsonObject {
  const selector = { type: 'string', const: kind, description: kindSelector.description[kind] }
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: 'object',
    description: `${commentOf(fullName).replace(/^\w+ is/, 'This is')} \`maxLength\` and \`format\` describe the value without the white space around it. Unknown members are refused.`,
    additionalProperties: false,
    required: kind === 'quote' ? required : [kindSelector.name, ...required],
    properties: {
      [kindSelector.name]: selector,
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, exampleOf(kind, field.name))])),
    },
  }
}

function fieldSchema(field: KindFact['fields'][number], example: string | boolean): JsonObject {
  const { name, type, description, required, maxLength, patternText, mustBe, faults } = field
  if (type === 'boolean') return { type, description: describeConsent(description), const: mustBe ?? null }
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

/** The field's description, plus the wording that it refers to. */
function describeConsent(description: string): string {
  return `${description} The wording (version {{wordingVersion}}): "{{wording}}" ${consentRule} ${statement}`
}
