import { leadsPath, legacyPath } from '../public-paths.ts'
import { fillWords } from '../template.ts'
import { faults } from '../words/faults.ts'
import { parts } from '../words/problems.ts'
import { leadRules } from './rules.ts'
import type { LeadKind } from './submission.ts'

function required(kind: LeadKind, types = ['string', 'boolean']): string {
  const rules = leadRules[kind].filter(({ required, type }) => required && types.includes(type))
  return rules.map(({ name }) => name).join(', ')
}

const facts = {
  leadsPath,
  legacyPath,
  quoteFields: required('quote'),
  quoteStrings: required('quote', ['string']),
  messageFields: required('support'),
  formType: faults.invalid_value.hint,
}

/** Fills in shared parts and facts. `{{contact}}` and `{{wordingPlace}}` stay. */
export function fillSentence(text: string, values: Readonly<Record<string, string>> = {}): string {
  const filled = fillWords(text, parts)
  // A part may have other parts in it.
  return filled === text ? fillWords(text, { ...facts, ...values }) : fillSentence(filled, values)
}
