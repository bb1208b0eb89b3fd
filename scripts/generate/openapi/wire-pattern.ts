import { isFreeText } from '../../../src/lead/normalize.ts'

/** What is removed around a value (src/lead/normalize.ts): white space and invisible marks. All of it is in the BMP. */
const edge = [
  ...'\t\n\v\f\r \u0085\u00a0\u00ad\u1680',
  ...range(0x2000, 0x200f),
  ...'\u2028\u2029\u202f\u205f\u2060\u3000\ufeff',
]
const edgeClass = writeClass(edge)
const around = `[${edgeClass}]*`

const characterClass = /^\^\[\^(.*)\][*+]\$$/s
const whole = /^\^(.*)\$$/s
/** A last part that may have some of the characters that are removed around a value. */
const lastPart = /\(\?:(\[[^\]]*\]\[\^(.*)\]\*)\)\?$/s

/**
 * The characters of a phone number (src/lead/normalize.ts), which the document lists once: what may stand anywhere in it,
 * also at both ends, the digits and the plus sign.
 */
export const phoneCharacters = `^(?:${around}[Tt][Ee][Ll]:)?[${writeClass([...edge, ...'+.()-\u2212\u061c', ...range(0x30, 0x39), ...range(0x2010, 0x2015), ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)])}]*$`
/** Their order. */
const phonePattern = '^[^0-9+]*(?:(?:\\+[^0-9+]*)?1[^0-9+]*)?(?:[0-9][^0-9+]*){10}$'

/** Invisible marks may also stand inside a count. */
const marks = '[\u00ad\u200b-\u200f\u2060\ufeff]*'
const countPattern = `^${around}(?:[1-9]${marks})?[0-9](?:${marks}\\.${marks}5)?(?:${marks}\\+)?${around}$`

const ownPatterns: Readonly<Record<string, string>> = {
  phone: phonePattern,
  bedrooms: countPattern,
  bathrooms: countPattern,
}

/**
 * The pattern of a field's value as sent, derived from the proto file's pattern of its normalized value: white
 * space and marks around it are removed, and blank text counts as missing. The patterns mean the same without flags in
 * JavaScript, RE2, Python and Rust: no lookaround, no class escapes such as `\s`, no surrogates, and every non-ASCII character is
 * literal.
 */
export function wirePattern(name: string, pattern: string): string {
  const excluded = characterClass.exec(pattern)?.[1]
  if ((excluded !== undefined) !== isFreeText(name))
    throw new Error(
      `${name}: add how to normalize it to src/lead/normalize.ts, or give it a pattern of free text in the proto file, "^[^…]*$" or "^[^…]+$"`,
    )
  if (excluded !== undefined) return freeText(excluded)
  const own = ownPatterns[name]
  if (own !== undefined) return own
  const body = whole.exec(pattern)?.[1]
  if (body === undefined) throw new Error(`${name}: expected a pattern that is anchored at both ends`)
  const last = lastPart.exec(body)
  if (!last) return `^${around}(?:${body})${around}$`
  const [, part = '', outside = ''] = last
  return `^${around}${body.slice(0, last.index)}(?:${part}${after(outside)}|${around})$`
}

/** Any text with something other than white space and marks, without the excluded characters. */
function freeText(excluded: string): string {
  return `^${around}[^${writeClass([...new Set([...edge, ...inBmp(excluded)])])}][^${excluded}]*${after(excluded)}$`
}

/**
 * What is removed after a text that may have some of it. Only what the text itself excludes begins it, so that every
 * character matches in one way only.
 */
function after(excluded: string): string {
  const outside = writeClass(inBmp(excluded).filter((character) => edge.includes(character)))
  return outside && `(?:[${outside}]${around})?`
}

/** The characters of a class. */
function inBmp(inside: string): string[] {
  const isInside = new RegExp(`[${inside}]`)
  return range(0, 0xffff).filter((character) => isInside.test(character))
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
