import { getOption } from '@bufbuild/protobuf'
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { comments } from '../../gen/comments.ts'
import { kindField, leadMessages, leadRules } from '../../lead/rules.ts'
import type { LeadKind } from '../../lead/submission.ts'

/** What the documents say of one field of a kind of lead: all of it from the proto file. */
export interface FieldFact {
  /** The REST name. */
  name: string
  type: 'string' | 'boolean'
  required: boolean
  /** The proto file's comment, which may have `code` in it. */
  description: string
  /** The least and the most Unicode characters; undefined where the proto sets no bound. */
  minLength: number | undefined
  maxLength: number | undefined
  /** What the normalized text must match, as the proto file writes it. */
  pattern: string | undefined
  /** The only value that a boolean may have. */
  mustBe: boolean | undefined
  /** The code that a value which breaks the field's own rule brings. */
  faultCode: string
}

/** What one kind of lead is. */
export interface KindFact {
  kind: LeadKind
  /** Its schema's name, which is the proto message's. */
  schema: string
  title: string
  /** Every field but `formType`, in the order of the proto file. */
  fields: readonly FieldFact[]
}

/** The proto comment of a message or field; throws when there is none. */
export function commentOf(fullName: string): string {
  const text = comments[fullName]
  if (!text) throw new Error(`no comment on ${fullName}`)
  return text
}

function describeKind(kind: LeadKind, title: string): KindFact {
  const message = leadMessages[kind]
  const fields = leadRules[kind].map((rule): FieldFact => {
    const descriptor = message.fields.find((field) => field.jsonName === rule.name)
    if (!descriptor) throw new Error(`${message.typeName} has no ${rule.name}`)
    const { type } = getOption(descriptor, fieldRules)
    const text = type.case === 'string' ? type.value : undefined
    return {
      name: rule.name,
      type: rule.type,
      required: rule.required,
      description: commentOf(`${message.typeName}.${descriptor.name}`),
      minLength: text && Number(text.minLen) > 0 ? Number(text.minLen) : undefined,
      maxLength: Number.isFinite(rule.maxLength) ? rule.maxLength : undefined,
      pattern: text?.pattern || undefined,
      mustBe: rule.mustBe,
      faultCode: rule.faults.value.code,
    }
  })
  return { kind, schema: message.name, title, fields }
}

/** Both kinds of lead. */
export const kindFacts: readonly KindFact[] = [
  describeKind('quote', 'Quote request'),
  describeKind('support', 'Contact message'),
]

/** What `formType` may be in each kind; a quote request may leave it out. */
export const kindSelector = {
  name: kindField,
  description: {
    quote: 'Selects the kind of lead: absent or `quote` for a quote request.',
    support: commentOf('leadintake.v1.ContactMessage.form_type').replace(/ The `oneof`.*/, ''),
  },
} as const

/** Every field's name, over both kinds, each once. */
export const fieldNames: readonly string[] = [
  ...new Set([kindField, ...kindFacts.flatMap(({ fields }) => fields.map(({ name }) => name))]),
]
