import { getOption } from '@bufbuild/protobuf'
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { kindField, leadMessages, leadRules } from '../../../src/lead/rules.ts'
import type { LeadKind } from '../../../src/lead/submission.ts'
import { createConsentTexts } from '../../../src/lead/wording.ts'
import { comments } from '../comments.ts'

/** What a caller states by sending `true`: the same in every deployment. */
export const statement: string = createConsentTexts({ name: '', phone: '' }).statement.text

/** Facts about one field of a kind of lead, all from the proto file. */
export interface FieldFact {
  /** The REST name. */
  name: string
  type: 'string' | 'boolean'
  required: boolean
  /** The proto file's comment. May contain `code`. */
  description: string
  /** Length limits in Unicode characters. Undefined: none in the proto file. */
  minLength: number | undefined
  maxLength: number | undefined
  /** The pattern for the normalized text, as in the proto file. */
  pattern: string | undefined
  /** The only valid value of a boolean. */
  mustBe: boolean | undefined
  /** The code of a value that breaks the field's own rule. */
  faultCode: string
}

/** Facts about one kind of lead. */
export interface KindFact {
  kind: LeadKind
  /** The name of the proto message, and its full name. */
  message: string
  fullName: string
  /** All fields except `formType`, in the order of the proto file. */
  fields: readonly FieldFact[]
}

/** The proto comment on a message or field. Throws when there is none. */
export function commentOf(fullName: string): string {
  const text = comments[fullName]
  if (!text) throw new Error(`no comment on ${fullName}`)
  return text
}

function describeKind(kind: LeadKind): KindFact {
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
  return { kind, message: message.name, fullName: message.typeName, fields }
}

/** Both kinds of lead. */
export const kindFacts: readonly KindFact[] = [describeKind('quote'), describeKind('support')]

/** The values of `formType` for each kind. A quote request may omit it. */
export const kindSelector = {
  name: kindField,
  description: {
    quote: 'Absent or `quote`.',
    support: commentOf(`${leadMessages.support.typeName}.form_type`).replace(/ The `oneof`.*/, ''),
  },
} as const
