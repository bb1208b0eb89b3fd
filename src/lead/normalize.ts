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

const normalizers: Readonly<Record<string, (text: string) => string>> = { phone: normalizePhone, email: normalizeEmail }

/** What a field's text means before it is judged: trimmed, and in the field's one form. Idempotent. */
export function normalizeField(name: string, text: string): string {
  const trimmed = text.trim()
  const normalize = normalizers[name]
  return normalize ? normalize(trimmed) : trimmed
}
