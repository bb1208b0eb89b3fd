import type { LeadContent } from './submission.ts'

/** White space of every kind (`\s` has U+FEFF too) and the invisible marks that come with pasted text. */
const edge = /[\s\u0085\u00ad\u200b-\u200f\u2060]/
const invisibleMarks = /[\u00ad\u200b-\u200f\u2060\ufeff]/g
/** What a phone number may have between its digits: the characters above, dots, parentheses, dashes, direction marks. */
const separators = /[\s\u0085\u00ad\u200b-\u200f\u2060.()\-\u2010-\u2015\u2212\u061c\u202a-\u202e\u2066-\u2069]/g
const scheme = /^tel:/i
const tenDigits = /^(?:\+?1)?([0-9]{10})$/

/** Removes what a phone number may have beside its digits and `+`. */
export function withoutSeparators(text: string): string {
  return text.replace(scheme, '').replace(separators, '')
}

/** Reduces a phone number of the North American plan to ten digits. Returns other texts unchanged. */
export function normalizePhone(text: string): string {
  return tenDigits.exec(withoutSeparators(text))?.[1] ?? text
}

/** Lowercases the domain. The local part may be case-sensitive (RFC 5321 §2.4) and is left unchanged. */
export function normalizeEmail(text: string): string {
  const at = text.lastIndexOf('@') + 1
  return text.slice(0, at) + text.slice(at).toLowerCase()
}

/**
 * The form in which contacts are compared: ten digits, or an address in lowercase. RFC 5321 allows a case-sensitive local
 * part, but no provider has two users whose addresses differ only by case.
 */
export function contactsOf({ phone = '', email = '' }: LeadContent): Record<'phone' | 'email', string> {
  return { phone: String(phone), email: String(email).toLowerCase() }
}

const withoutMarks = (text: string) => text.replace(invisibleMarks, '')

/** Fields that have a canonical form, and how it is reached. */
const canonical: Readonly<Record<string, (trimmed: string) => string>> = {
  phone: normalizePhone,
  email: normalizeEmail,
  bedrooms: withoutMarks,
  bathrooms: withoutMarks,
  consentTimestamp: String,
  pageUrl: String,
}

/** Whether a field may have any text, in the customer's words. */
export function isFreeText(name: string): boolean {
  return !Object.hasOwn(canonical, name)
}

/** Normalizes a field before it is checked. Idempotent. */
export function normalizeField(name: string, text: string): string {
  const trimmed = trim(text)
  return isFreeText(name) ? trimmed : (canonical[name]?.(trimmed) ?? trimmed)
}

/** Removes what nobody sees at both ends. A loop, because a regular expression takes quadratic time on long runs. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && edge.test(text.charAt(start))) start++
  while (end > start && edge.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Beside white space, what Unicode calls ignorable when it is shown, and the empty Braille pattern. */
const visible = /[^\s\u0085\u2800\p{Default_Ignorable_Code_Point}]/u

/** Whether there is anything to see in a text. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}
