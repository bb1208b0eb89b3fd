/** Lone surrogates, which JSON can write and the service refuses; with the `u` flag, pairs are not among them. */
const surrogates = String.raw`\uD800-\uDFFF`

const characterClass = /^\^\[\^(.*)\]\*\$$/s
const whole = /^\^(.*)\$$/s

/** The separators that a phone number may have anywhere (src/lead/normalize.ts). */
const separators = '[ .()-]*'

/**
 * Patterns that the proto file's pattern alone cannot give, since a field's text is put into one form first or has a
 * meaning that the proto's pattern does not hold.
 */
const ownPatterns: Readonly<Record<string, string>> = {
  // White space first or last is trimmed; the separators beside it start or end with another one, so that no character can
  // be matched in two ways and a long value costs no more than its length.
  phone: `^\\s*(?:[.()-]${separators})?(?:\\+${separators}1${separators}|1${separators})?(?:[0-9]${separators}){9}[0-9](?:${separators}[.()-])?\\s*$`,
  // No user information: no `@` before the path (src/lead/page-url.ts).
  pageUrl: `^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\x00-\\x20\\x7F-\\x9F\\\\/?#@${surrogates}]+(?:[/?#][^\\s\\x00-\\x20\\x7F-\\x9F\\\\${surrogates}]*)?\\s*$`,
}

/**
 * What a field's value must match as it is sent, from what the proto file says of it once it is normalised: white space
 * around it is trimmed, and what is blank then is missing. ECMA-262, `u` flag, no lookaround.
 */
export function wirePattern(name: string, pattern: string | undefined): string {
  const own = ownPatterns[name]
  if (own) return own
  const excluded = pattern === undefined ? '' : characterClass.exec(pattern)?.[1]
  if (excluded !== undefined) {
    const refused = escapeNonAscii(excluded) + surrogates
    return `^\\s*[^\\s${refused}][^${refused}]*\\s*$`
  }
  const body = whole.exec(pattern ?? '')?.[1]
  if (body === undefined) throw new Error(`${name}: expected a pattern that is anchored at both ends`)
  return `^\\s*(?:${escapeNonAscii(body)})\\s*$`
}

function escapeNonAscii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
}
