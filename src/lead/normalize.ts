/** Spaces, dots, parentheses, every dash, and the invisible direction marks that come with a pasted number. */
const separators = /[ .()\-\u2010-\u2015\u2212\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const tenDigits = /^(?:\+?1)?([0-9]{10})$/

/** Removes the separators that a phone number may contain. */
export function withoutSeparators(text: string): string {
  return text.replace(separators, '')
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

/** Fields that have a canonical form. */
const canonical: ReadonlySet<string> = new Set('phone email bedrooms bathrooms consentTimestamp pageUrl'.split(' '))

/** Whether a field may have any text, in the customer's words. */
export function isFreeText(name: string): boolean {
  return !canonical.has(name)
}

/**
 * Normalizes a field before it is checked. Idempotent. Fields with a canonical form are trimmed of ASCII white space
 * only, so that their patterns in OpenAPI stay ASCII, which every tool supports.
 */
export function normalizeField(name: string, text: string): string {
  if (isFreeText(name)) return text.trim()
  const trimmed = trimAscii(text)
  if (name === 'phone') return normalizePhone(trimmed)
  return name === 'email' ? normalizeEmail(trimmed) : trimmed
}

/** Trims tabs, line breaks and spaces. A loop, because a regular expression takes quadratic time on long runs. */
function trimAscii(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isAsciiSpace(text.charCodeAt(start))) start++
  while (end > start && isAsciiSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}
