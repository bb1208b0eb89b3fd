import { createConsentTexts } from '../../../src/consent/wording.ts'
import { kindField, leadMessages, leadRules } from '../../../src/lead/rules.ts'
import type { LeadKind } from '../../../src/lead/submission.ts'
import { commentOf } from '../comments.ts'

/** What a caller states by sending `true`: the same in every deployment. */
export const statement: string = createConsentTexts({ name: '', postalAddress: '', phone: '', email: '' }).statement
  .text

/** All announced fields but `formType`, in the order of the proto file, with its comments. */
function describeKind(kind: LeadKind) {
  const { name: message, fields } = leadMessages[kind]
  const nameOf = (jsonName: string) => fields.find((field) => field.jsonName === jsonName)?.name
  const described = leadRules[kind]
    .filter(({ announced }) => announced)
    .map((rule) => ({ ...rule, description: commentOf(`${message}.${nameOf(rule.name)}`) }))
  return { message, fields: described }
}

/** Facts about each kind of lead. */
export const kindFacts = { quote: describeKind('quote'), support: describeKind('support') } as const

export type FieldFact = (typeof kindFacts)[LeadKind]['fields'][number]

/** The values of `formType` for each kind. A quote request may omit it. */
export const kindSelector = {
  name: kindField,
  description: {
    quote: 'Absent or `quote`.',
    support: commentOf(`${leadMessages.support.name}.form_type`).replace(/ The `oneof`.*/, ''),
  },
} as const
