import { askForAddress, faults } from '../words/faults.ts'
import { fillWords } from '../words/fill.ts'
import { parts } from '../words/problems.ts'
import { consentField, fieldNames } from './rules.ts'

const quoteFields = fieldNames('quote')

/** What sentences say of the fields of a lead. */
const facts = {
  quoteFields: quoteFields.join(', '),
  quoteStrings: quoteFields.filter((name) => name !== consentField).join(', '),
  messageFields: fieldNames('support').join(', '),
  formType: faults.invalid_value.hint,
  askForAddress,
}

/** Fills in what a sentence shares with others, and what it says of fields. `{{contact}}` and `{{wordingPlace}}` stay. */
export function sentence(text: string, own: Readonly<Record<string, string>> = {}): string {
  return fillWords(withParts(text), { ...facts, ...own })
}

/** A part may have other parts in it. */
function withParts(text: string): string {
  const filled = fillWords(text, parts)
  return filled === text ? text : withParts(filled)
}
