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

/** Whether a member is absent: undefined, null, or a text in which nothing is visible. */
export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && !visible.test(value))
}

/**
 * Trims, and removes invisible characters. Line breaks become `\n`, and a lone surrogate U+FFFD. The result is empty if
 * nothing is visible, and safe to print on a terminal. Idempotent.
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

/** In characters. A longer text is not searched for a number, an address or a count, which bounds the time it takes. */
const readMax = 600

/** Quotes around a value, and what people and programs type after it. */
const around = /^["'`\p{Pi}\p{Pf}\u201a\u201e]+|["'`\p{Pi}\p{Pf}.,;:!?]+$/gu

const onlyOne = <T>(values: readonly T[]) => (new Set(values).size === 1 ? values[0] : undefined)

const plainPhone = /^(?:\+?1[-. ]?)?\(?([0-9]{3})\)?[-. ]?([0-9]{3})[-. ]?([0-9]{4})$/
const separators =
  /[\s\p{Pd}\u2212\u2043\u30fc\uff70.\u00b7\u2022\u30fb\uff65\u2219\u22c5\u2027/\u2044\u2215~\u223c<>\p{Ps}\p{Pe}]/gu
/** What kind of number it is. Any other word may be something that the customer wants to say. */
const phoneLabels =
  /(?<![\p{L}\p{N}])(?:cell(?:phone|ular)?|mob(?:ile)?|(?:tele)?phone|tel|ph|home|work|office|personal|main|whats ?app|number|no(?=\.)|[chmptw])(?!\p{L})(?:\s?[.:#]{1,2})?/giu
/** A number that a spreadsheet shows with commas. */
const thousands = /^[0-9]{1,2}(?:,[0-9]{3}){3}(?:\.00?)?$/
/** A phone number that a spreadsheet has turned into a decimal. */
const decimal = /^(?:(.*[0-9])\.0|([^.]*[0-9])\.00)$/
/** One number, once or twice. */
const tenDigits = /^(?:1|\+0{0,2}1|0(?:0|11)1)?([0-9]{10})(?:(?:or|and|[,;&])?(?:\+?1)?\1)?$/

/** Removes separators and labels from a phone number. The `.0` of a decimal stays, except after ten digits. */
export function withoutSeparators(text: string): string {
  const labeled = toAsciiNumber(text.slice(0, readMax)).replace(around, '')
  const trimmed = labeled.replace(phoneLabels, '').trim()
  const number = thousands.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed
  const [, one, two] = decimal.exec(number) ?? []
  const whole = one ?? two
  const digits = (whole ?? number).replace(separators, '')
  return whole !== undefined && !/^[0-9]{10}$/.test(digits) ? `${digits}.0` : digits
}

/** Reduces a North American phone number, or a link to one, to ten digits. Returns other texts unchanged. */
export function normalizePhone(text: string): string {
  const plain = plainPhone.exec(text)
  if (plain) return `${plain[1]}${plain[2]}${plain[3]}`
  if (text.length > readMax) return text
  const parts = text.split(/\]\(|\|/)
  return onlyOne(parts.map((part) => tenDigits.exec(withoutSeparators(part))?.[1])) ?? text
}

/** An address in ASCII, with a domain in lowercase. */
const plainEmail = /^[!#-'*+\--9=?A-Z^-~]+@[a-z0-9.-]*[a-z0-9]$/
/** What a chat, a mail program or a list puts around addresses. */
const addressSigns = /[\s<>()[\]|,;]+/
const addressLabel = /\b(?:e-?mail|mailto):|[([](?:e-?mail|home|work|office|personal|main)[)\]]/gi

/**
 * Takes an address out of quotes, brackets or a link, and lowercases its domain. The local part may be case-sensitive
 * (RFC 5321 §2.4) and stays as it is.
 */
export function normalizeEmail(text: string): string {
  if (plainEmail.test(text)) return text
  // People type the dot of their script too (RFC 3490 §3.1), and programs encode the sign.
  const signs = halfWidth(text).replace(/[\u3002\uff61]/g, '.')
  const address = lowerDomain(signs.replace(/^([^@%]+)%40(?=[^@%]+$)/, '$1@'))
  if (plainEmail.test(address) || address.length > readMax) return address
  const parts = address.replace(addressLabel, ' ').split(addressSigns)
  const emails = parts.map((part) => lowerDomain(part.replace(around, ''))).filter((part) => /\w/.test(part))
  const [email = ''] = onlyOne(emails.map((one) => one.toLowerCase())) ? emails : []
  return plainEmail.test(email) ? email : address
}

function lowerDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return at === -1 ? address : address.slice(0, at) + address.slice(at).toLowerCase()
}

const plainCount = /^[1-9]?[0-9](?:\.5)?\+?$/
/** A whole number or a half, such as `2`, `2.50`, `2 ½` or `5+`. U+066B is the decimal point of Arabic. */
const count =
  /^([0-9]{0,3})(?:[.,\u066b]([05])0?|((?:^|[ -]+|\s(?:and|&)\s)(?:½|1[/\u2044]2)|½|\s(?:and|&)\s(?:an? )?half))?(\s?\+)?$/i
const units = {
  bedrooms: /[\s-]*b(?:ed(?:room)?|d(?:rm)?|r)(?:s|\(s\))?$/i,
  bathrooms: /[\s-]*ba(?:th(?:room)?)?(?:s|\(s\))?$/i,
}
const studio = /^(?:an? )?studio(?: (?:apartment|apt|flat))?$/i

/** A count such as `2.5` or `5+`, however it is written in digits. Returns other texts unchanged. */
function normalizeCount(field: keyof typeof units, text: string): string {
  if (plainCount.test(text) || text.length > readMax) return text
  const value = toAsciiNumber(text).replace(around, '')
  if (field === 'bedrooms' && studio.test(value)) return '0'
  const [, whole = '', tenths, half, plus] = count.exec(value.replace(units[field], '')) ?? []
  const isHalf = tenths === '5' || half !== undefined
  return whole === '' && !isHalf ? text : `${whole || 0}${isHalf ? '.5' : ''}${plus ? '+' : ''}`
}

/**
 * The form in which contacts are compared: ten digits, or an address in lowercase. RFC 5321 allows a case-sensitive
 * local part, but providers do not tell addresses apart by case.
 */
export function contactsOf({ phone = '', email = '' }: LeadContent): Record<'phone' | 'email', string> {
  return { phone: String(phone), email: String(email).toLowerCase() }
}

const normalizers: Readonly<Record<string, (line: string) => string>> = {
  phone: normalizePhone,
  email: normalizeEmail,
  bedrooms: (text) => normalizeCount('bedrooms', text),
  bathrooms: (text) => normalizeCount('bathrooms', text),
  consentTimestamp: String,
  pageUrl: String,
}

/** Signs as a web form or a template writes them for HTML, even twice (`&amp;#39;`). */
const htmlSign =
  /&(?:(?:amp|#0?38|#x26);)*(?:(amp|#0?38|#x26)|(quot|#0?34|#x22)|(?:apos|[lr]squo|#0?39|#x27|#821[67]));/gi

/** Reads them in names and topics, which nobody writes so. A longer text may be about HTML. */
function readHtml(line: string): string {
  if (!line.includes('&')) return line
  return line.replace(htmlSign, (_, and?: string, quote?: string) => (and ? '&' : quote ? '"' : "'"))
}

/** Whether a field takes any text in the customer's words. */
export const isFreeText = (name: string) => !Object.hasOwn(normalizers, name)

/** Normalizes a field before it is checked. The result is empty if nothing is visible. Idempotent. */
export function normalizeField(name: string, text: string): string {
  if (name === 'notes' || name === 'message') return cleanText(text)
  const line = cleanLine(text)
  return normalizers[name]?.(line) ?? readHtml(line)
}
