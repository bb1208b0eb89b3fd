import { isFreeText } from '../../../src/lead/normalize.ts'

/** The white space that is trimmed from free text (ECMA-262, String.prototype.trim). All of it is in the BMP. */
const white = [...'\t\n\v\f\r \u00a0\u1680', ...range(0x2000, 0x200a), ...'\u2028\u2029\u202f\u205f\u3000\ufeff']
const whiteClass = writeClass(white)

/** The white space that is trimmed from fields with a canonical form (src/lead/normalize.ts). */
const asciiWhite = String.raw`[\x09-\x0D\x20]*`

const characterClass = /^\^\[\^(.*)\][*+]\$$/s
const whole = /^\^(.*)\$$/s

/** Separators that may occur anywhere in a phone number (src/lead/normalize.ts). */
const marks = '\u2010-\u2015\u2212\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069'
const separators = `[ .()${marks}-]*`

/**
 * The proto file's pattern applies to the normalized phone number; this one applies to the number as sent. White space
 * at both ends is trimmed. The separators next to it start or end with a non-space, so that no character can match in
 * two ways and matching takes linear time.
 */
const phonePattern = `(?:[.()${marks}-]${separators})?(?:\\+${separators}1${separators}|1${separators})?(?:[0-9]${separators}){9}[0-9](?:${separators}[.()${marks}-])?`

/**
 * The pattern of a field's value as sent, derived from the proto file's pattern of its normalized value: surrounding
 * white space is trimmed, and blank text counts as missing. The patterns mean the same without flags in JavaScript,
 * RE2, Python and Rust: no lookaround, no class escapes such as `\s`, no surrogates, and every non-ASCII character is
 * literal.
 */
export function wirePattern(name: string, pattern: string): string {
  const excluded = characterClass.exec(pattern)?.[1]
  if ((excluded !== undefined) !== isFreeText(name))
    throw new Error(
      `${name}: add how to normalize it to src/lead/normalize.ts, or give it a pattern of free text in the proto file, "^[^…]*$" or "^[^…]+$"`,
    )
  if (excluded !== undefined) return freeText(excluded)
  const body = name === 'phone' ? phonePattern : whole.exec(pattern)?.[1]
  if (body === undefined) throw new Error(`${name}: expected a pattern that is anchored at both ends`)
  return `^${asciiWhite}(?:${body})${asciiWhite}$`
}

/**
 * Any non-blank text without the excluded characters, with optional white space around it. Only the trailing white
 * space that the text itself excludes is matched separately, so that every character matches in one way only.
 */
function freeText(excluded: string): string {
  const isExcluded = new RegExp(`^[${excluded}]$`)
  const outside = writeClass(white.filter((character) => isExcluded.test(character)))
  return `^[${whiteClass}]*[^${whiteClass}${excluded}][^${excluded}]*(?:[${outside}][${whiteClass}]*)?$`
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index))
}

/** The inside of a character class: consecutive characters as ranges, ASCII as `\xHH`. */
function writeClass(characters: readonly string[]): string {
  const codes = characters.map((character) => character.charCodeAt(0)).sort((a, b) => a - b)
  const write = (code: number) =>
    code < 0x80 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}` : String.fromCharCode(code)
  const ranges: [first: number, last: number][] = []
  for (const code of codes) {
    const open = ranges.at(-1)
    if (open && code === open[1] + 1) open[1] = code
    else ranges.push([code, code])
  }
  return ranges.map(([first, last]) => (first === last ? write(first) : `${write(first)}-${write(last)}`)).join('')
}
