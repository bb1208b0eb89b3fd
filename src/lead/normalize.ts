import type { LeadContent } from './submission.ts'

/** What counts as a line break: CR LF, CR, and the controls and separators of other systems. */
const lineBreaks = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/**
 * What nobody sees, and what could deceive a reader or a program that shows it: C0 and C1 controls, bidirectional
 * controls, the soft hyphen, zero-width space, word joiner, byte order mark, and tag characters. Joiners and variation
 * selectors are not among them: they shape letters and emoji.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** What most texts are: printable ASCII with line breaks, and nothing to remove. */
const printableAscii = /^[!-~](?:[ -~\n]*[!-~])?$/

/** Removed at both ends: white space of every kind, and joiners, which join nothing there. */
const edge = /[\s\u200c\u200d]/

/** Beside white space and controls, what Unicode calls ignorable when it is shown, and the empty Braille pattern. */
const visible = /[^\s\p{Cc}\u2800\p{Default_Ignorable_Code_Point}]/u

/** Whether a member is absent: null, or a text in which nothing is visible. */
export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && !visible.test(value))
}

/**
 * The text without what nobody sees; empty if nothing is visible. Line breaks become `\n`, a lone surrogate U+FFFD. The
 * result is safe to print on a terminal. Idempotent.
 */
export function cleanText(text: string): string {
  if (printableAscii.test(text)) return text
  const cleaned = trim(text.toWellFormed().replace(lineBreaks, '\n').replace(unseen, ''))
  return visible.test(cleaned) ? cleaned : ''
}

/** The same in one line: line breaks and tabs become spaces. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/[\n\t]/g, ' ')
}

/** A loop, because a regular expression takes quadratic time on long runs. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && edge.test(text.charAt(start))) start++
  while (end > start && edge.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Full-width forms, as keyboards of East Asia type them, in ASCII. */
const halfWidth = (text: string) => text.replace(/[\uff01-\uff5e]/g, (character) => character.normalize('NFKC'))

/** Decimal digits of every script in ASCII, full-width forms too, and nothing that is ignorable. */
function toAsciiNumber(text: string): string {
  if (printableAscii.test(text)) return text
  return asciiDigits(halfWidth(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))).trim()
}

const isDigit = (codePoint: number) => /\p{Nd}/u.test(String.fromCodePoint(codePoint))

/** The text with the decimal digits of every script in ASCII. Unicode has them in whole rows, from zero to nine. */
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
const separators = /[\s\p{Pd}\u2212.·•・･/~()[\]{}]/gu
/** A number that a spreadsheet has made of the digits. */
const decimal = /^(?<whole>.*\d)\.0$|^(?<whole>[^.]*\d)\.0+$/
const tenDigits = /^(?:\+?1|0(?:0|11)1)?([0-9]{10})$/

/** Removes what a phone number may have beside its digits and `+`. A decimal stays, except after ten digits. */
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
  const at = address.lastIndexOf('@') + 1
  return address.slice(0, at) + address.slice(at).toLowerCase()
}

/** A count, such as `2.5` or `5+`. A spreadsheet's `3.0` is `3`. U+066B is the decimal point of Arabic. */
function normalizeCount(text: string): string {
  return toAsciiNumber(text)
    .replace(/^([0-9]+)[.\u066b]0$/, '$1')
    .replace('\u066b', '.')
}

/**
 * The form in which contacts are compared: ten digits, or an address in lowercase. RFC 5321 allows a case-sensitive local
 * part, but no provider has two users whose addresses differ only by case.
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

/** Whether a field may have any text, in the customer's words. */
export const isFreeText = (name: string) => !Object.hasOwn(canonical, name)

/** Normalizes a field before it is checked. Empty: nothing is visible. Idempotent. */
export function normalizeField(name: string, text: string): string {
  if (name === 'notes' || name === 'message') return cleanText(text)
  const line = cleanLine(text)
  return isFreeText(name) ? line : (canonical[name]?.(line) ?? line)
}
