import { aliasPath, leadsPath } from '../public-paths.ts'
import { faults } from '../words/faults.ts'
import { fillWords } from '../words/fill.ts'
import { parts } from '../words/problems.ts'
import { consentField, leadRules } from './rules.ts'
import type { LeadKind } from './submission.ts'

const required = (kind: LeadKind) => leadRules[kind].flatMap(({ name, required }) => (required ? [name] : []))

/** What sentences say of this API. */
const facts = {
  leadsPath,
  aliasPath,
  quoteFields: required('quote').join(', '),
  quoteStrings: required('quote')
    .filter((name) => name !== consentField)
    .join(', '),
  messageFields: required('support').join(', '),
  formType: faults.invalid_value.hint,
}

/** Fills in the parts that sentences share, and facts. `{{contact}}` and `{{wordingPlace}}` stay. */
export function sentence(text: string, own: Readonly<Record<string, string>> = {}): string {
  const filled = fillWords(text, parts)
  // A part may have other parts in it.
  return filled === text ? fillWords(text, { ...facts, ...own }) : sentence(filled, own)
}
