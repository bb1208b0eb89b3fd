const separators = /[ .()-]/g
const tenDigits = /^(?:\+?1)?([0-9]{10})$/

/** A phone number's text without what may stand between its digits. */
export function withoutSeparators(text: string): string {
  return text.replace(separators, '')
}

/** The ten digits of a U.S. phone number, or the text as it is when it is none. */
export function normalizePhone(text: string): string {
  return tenDigits.exec(withoutSeparators(text))?.[1] ?? text
}

/** The address with its domain in lower case; the local part may be case-sensitive (RFC 5321 §2.4) and stays. */
export function normalizeEmail(text: string): string {
  const at = text.lastIndexOf('@') + 1
  return text.slice(0, at) + text.slice(at).toLowerCase()
}

const asIs = (text: string) => text

/** The fields whose text has a form of its own, and what puts it into its one form. The others are free text. */
const formed: Readonly<Record<string, (text: string) => string>> = {
  phone: normalizePhone,
  email: normalizeEmail,
  bedrooms: asIs,
  bathrooms: asIs,
  consentTimestamp: asIs,
  pageUrl: asIs,
}

/**
 * What a field's text means before it is judged: trimmed, and in the field's one form. Idempotent. Around a text with a
 * form only ASCII white space is trimmed: its pattern in OpenAPI can then be ASCII, which every tool can show.
 */
export function normalizeField(name: string, text: string): string {
  const normalize = formed[name]
  return normalize ? normalize(trimAscii(text)) : text.trim()
}

/** Without tabs, line breaks and spaces at both ends. A loop, as a regular expression would cost the square of a run. */
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
