import type { LeadContent } from './submission.ts'

/** What counts as a line break: CR LF, CR, and the controls and separators of other systems. */
const lineBreaks = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/**
 * Invisible characters, and those that could deceive a reader or a terminal: C0 and C1 controls, bidirectional
 * controls, the soft hyphen, zero-width space, word joiner, byte order mark, and tag characters. Joiners and variation
 * selectors stay, because they shape letters and emoji.
 */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Most texts: printable ASCII with line breaks, and nothing to remove. */
const printableAscii = /^[!-~](?:[ -~\n]*[!-~])?$/

/** What is trimmed: white space of every kind, and joiners, which join nothing at an end. */
const edge = /[\s\u200c\u200d]/

/** A character other than white space, controls, the empty Braille pattern, and those that Unicode calls ignorable. */
const visible = /[^\s\p{Cc}\u2800\p{Default_Ignorable_Code_Point}]/u

/** Whether a member is absent: null, or a text in which nothing is visible. */
export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && !visible.test(value))
}

/**
 * Removes invisible characters; the result is empty if nothing is visible. Line breaks become `\n`, a lone surrogate
 * U+FFFD. The result is safe to print on a terminal. Idempotent.
 */
export function cleanText(text: string): string {
  if (printableAscii.test(text)) return text
  const cleaned = trim(text.toWellFormed().replace(lineBreaks, '\n').replace(invisible, ''))
  return visible.test(cleaned) ? cleaned : ''
}

/** Like `cleanText`, but line breaks and tabs become spaces. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/[\n\t]/g, ' ')
}

/** Trims in a loop, because a regular expression takes quadratic time on long runs. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && edge.test(text.charAt(start))) start++
  while (end > start && edge.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Converts full-width forms, which East Asian keyboards type, to ASCII. */
const halfWidth = (text: string) => text.replace(/[\uff01-\uff5e]/g, (character) => character.normalize('NFKC'))

/** Converts digits of every script and full-width forms to ASCII, and removes ignorable characters. */
function toAsciiNumber(text: string): string {
  if (printableAscii.test(text)) return text
  return asciiDigits(halfWidth(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))).trim()
}

const isDigit = (codePoint: number) => /\p{Nd}/u.test(String.fromCodePoint(codePoint))

/** Converts the decimal digits of every script to ASCII. Unicode encodes them in rows from zero to nine. */
export function asciiDigits(text: string): string {
  if (printableAscii.test(text)) return text
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const codePoint = digit.codePointAt(0) ?? 0
    let before = 0
    while (isDigit(codePoint - before - 1)) before++
    return String(before % 10)
  })
}

/** What people type between the digits of a phone number. */
const separators = /[\s\p{Pd}\u2212\u2043\u30fc\uff70.·•・･∙⋅‧/⁄∕~∼\p{Ps}\p{Pe}]/gu
/** A phone number that a spreadsheet has turned into a decimal. */
const decimal = /^(?<whole>.*\d)\.0$|^(?<whole>[^.]*\d)\.0+$/
const tenDigits = /^(?:\+?1|0(?:0|11)1)?([0-9]{10})$/

/** Removes separators from a phone number. The `.0` of a decimal stays, except after ten digits. */
export function withoutSeparators(text: string): string {
  const number = toAsciiNumber(text).replace(/^tel:/i, '')
  const whole = decimal.exec(number)?.groups?.whole
  const digits = (whole ?? number).replace(separators, '')
  return whole !== undefined && !/^[0-9]{10}$/.test(digits) ? `${digits}.0` : digits
}

/** Reduces a phone number of the North American plan to ten digits. Returns other texts unchanged. */
export function normalizePhone(text: string): string {
  return tenDigits.exec(withoutSeparators(text))?.[1] ?? text
}

/** Lowercases the domain. The local part may be case-sensitive (RFC 5321 §2.4) and is left unchanged. */
export function normalizeEmail(text: string): string {
  const address = halfWidth(text).replace(/^(?:mailto:\s*)+/i, '')
  const at = address.lastIndexOf('@')
  return at === -1 ? address : address.slice(0, at) + address.slice(at).toLowerCase()
}

/** A count, such as `2.5` or `5+`. A spreadsheet's `3.0` is `3`. U+066B is the decimal point of Arabic. */
function normalizeCount(text: string): string {
  return toAsciiNumber(text)
    .replace(/^([0-9]+)[.\u066b]0$/, '$1')
    .replace(/\s+(?=\+$)/, '')
    .replace('\u066b', '.')
}

/**
 * The form in which contacts are compared: ten digits, or an address in lowercase. RFC 5321 allows a case-sensitive
 * local part, but providers do not tell addresses apart by case.
 */
export function contactsOf({ phone = '', email = '' }: LeadContent): Record<'phone' | 'email', string> {
  return { phone: String(phone), email: String(email).toLowerCase() }
}

const canonical: Readonly<Record<string, (line: string) => string>> = {
  phone: normalizePhone,
  email: normalizeEmail,
  bedrooms: normalizeCount,
  bathrooms: normalizeCount,
  consentTimestamp: String,
  pageUrl: String,
}

/** Whether a field takes any text in the customer's words. */
export const isFreeText = (name: string) => !Object.hasOwn(canonical, name)

/** Normalizes a field before it is checked. The result is empty if nothing is visible. Idempotent. */
export function normalizeField(name: string, text: string): string {
  if (name === 'notes' || name === 'message') return cleanText(text)
  const line = cleanLine(text)
  return canonical[name]?.(line) ?? line
}
