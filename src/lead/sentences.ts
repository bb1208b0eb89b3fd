import { aliasPath, leadsPath } from '../public-paths.ts'
import { askForAddress, faults } from '../words/faults.ts'
import { fillWords } from '../words/fill.ts'
import { parts } from '../words/problems.ts'
import { consentField, fieldNames } from './rules.ts'

const quoteFields = fieldNames('quote')

/** What sentences say of this API. */
const facts = {
  leadsPath,
  aliasPath,
  quoteFields: quoteFields.join(', '),
  quoteStrings: quoteFields.filter((name) => name !== consentField).join(', '),
  messageFields: fieldNames('support').join(', '),
  formType: faults.invalid_value.hint,
  askForAddress,
}

/** Fills in the parts that sentences share, and facts. `{{contact}}` and `{{wordingPlace}}` stay. */
export function sentence(text: string, own: Readonly<Record<string, string>> = {}): string {
  const filled = fillWords(text, parts)
  // A part may have other parts in it.
  return filled === text ? fillWords(text, { ...facts, ...own }) : sentence(filled, own)
}
