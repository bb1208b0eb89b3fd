import { type FieldRule, kindField, leadMessages, leadRules } from '../../../src/lead/rules.ts'
import type { LeadKind } from '../../../src/lead/submission.ts'
import { createConsentTexts } from '../../../src/lead/wording.ts'
import { comments } from '../comments.ts'

/** What a caller states by sending `true`: the same in every deployment. */
export const statement: string = createConsentTexts({ name: '', phone: '' }).statement.text

/** A field's rules, with the proto file's comment, which may contain `code`. */
export type FieldFact = FieldRule & { description: string }

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

/** Both kinds of lead. */
export const kindFacts = (['quote', 'support'] as const).map((kind): KindFact => {
  const { name: message, typeName: fullName, fields } = leadMessages[kind]
  const nameOf = (jsonName: string) => fields.find((field) => field.jsonName === jsonName)?.name
  const described = leadRules[kind].map((rule) => ({
    ...rule,
    description: commentOf(`${fullName}.${nameOf(rule.name)}`),
  }))
  return { kind, message, fullName, fields: described }
})

/** The values of `formType` for each kind. A quote request may omit it. */
export const kindSelector = {
  name: kindField,
  description: {
    quote: 'Absent or `quote`.',
    support: commentOf(`${leadMessages.support.typeName}.form_type`).replace(/ The `oneof`.*/, ''),
  },
} as const
