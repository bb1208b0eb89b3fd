import { kindField, leadMessages, leadRules } from '../../../src/lead/rules.ts'
import { createConsentTexts } from '../../../src/lead/wording.ts'
import { commentOf } from '../comments.ts'

/** What a caller states by sending `true`: the same in every deployment. */
export const statement: string = createConsentTexts({ name: '', phone: '' }).statement.text

/** Facts about each kind of lead. `fields`: all but `formType`, in the order of the proto file, with its comments. */
export const kindFacts = (['quote', 'support'] as const).map((kind) => {
  const { name: message, typeName: fullName, fields } = leadMessages[kind]
  const nameOf = (jsonName: string) => fields.find((field) => field.jsonName === jsonName)?.name
  const described = leadRules[kind].map((rule) => ({
    ...rule,
    description: commentOf(`${fullName}.${nameOf(rule.name)}`),
  }))
  return { kind, message, fullName, fields: described }
})

export type KindFact = (typeof kindFacts)[number]

/** The values of `formType` for each kind. A quote request may omit it. */
export const kindSelector = {
  name: kindField,
  description: {
    quote: 'Absent or `quote`.',
    support: commentOf(`${leadMessages.support.typeName}.form_type`).replace(/ The `oneof`.*/, ''),
  },
} as const
