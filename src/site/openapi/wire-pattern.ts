/** The white space that is trimmed from free text (ECMA-262, String.prototype.trim): all of it is in the BMP. */
const white = [...'\t\n\v\f\r \u00a0\u1680', ...range(0x2000, 0x200a), ...'\u2028\u2029\u202f\u205f\u3000\ufeff']
const whiteClass = writeClass(white)

/** The white space that is trimmed from a text with a form of its own (src/lead/normalize.ts). */
const asciiWhite = String.raw`[\x09-\x0D\x20]*`

const characterClass = /^\^\[\^(.*)\]\*\$$/s
const whole = /^\^(.*)\$$/s

/** The separators that a phone number may have anywhere (src/lead/normalize.ts). */
const separators = '[ .()-]*'

/**
 * What the proto file's pattern alone cannot give, since a phone number is put into one form before it is judged. White
 * space first or last is trimmed; the separators beside it start or end with another one, so that no character can be
 * matched in two ways and a long value costs no more than its length.
 */
const phonePattern = `(?:[.()-]${separators})?(?:\\+${separators}1${separators}|1${separators})?(?:[0-9]${separators}){9}[0-9](?:${separators}[.()-])?`

/**
 * What a field's value must match as it is sent, from what the proto file says of it once it is normalized: white space
 * around it is trimmed, and what is blank then is missing. The patterns mean the same without flags in JavaScript, RE2,
 * Python and Rust: no look-around, no class by letter (`\s`), no surrogates, and every character beyond ASCII stands for
 * itself.
 */
export function wirePattern(name: string, pattern: string | undefined): string {
  const excluded = characterClass.exec(pattern ?? '')?.[1]
  if (excluded !== undefined) return freeText(excluded)
  const body = name === 'phone' ? phonePattern : whole.exec(pattern ?? '')?.[1]
  if (body === undefined) throw new Error(`${name}: expected a pattern that is anchored at both ends`)
  return `^${asciiWhite}(?:${body})${asciiWhite}$`
}

/**
 * Any text without these characters that is not blank, with any white space around it. Of that behind the text only what
 * the text itself may not have is written apart, so that every character is matched in one way.
 */
function freeText(excluded: string): string {
  const isExcluded = new RegExp(`^[${excluded}]$`)
  const outside = writeClass(white.filter((character) => isExcluded.test(character)))
  return `^[${whiteClass}]*[^${whiteClass}${excluded}][^${excluded}]*(?:[${outside}][${whiteClass}]*)?$`
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index))
}

/** The inside of a character class: neighbors as ranges, ASCII as `\xHH`. */
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
