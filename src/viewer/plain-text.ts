/**
 * Characters that could control a terminal or disguise text: control characters, bidirectional ones, line separators
 * and lone surrogates.
 */
const steering = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu

/** Converts a caller's text to one safe line, for a terminal or a spreadsheet. */
export function toPlainLine(text: string): string {
  return text
    .replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(steering, '')
    .trim()
}

/** Cleans every string in a JSON value. Keeps line breaks and tabs, because JSON escapes them. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(steering, (character) => (/[\t\n\r]/.test(character) ? character : ''))
  }
  if (Array.isArray(value)) return value.map(cleanJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cleanJson(member)]))
}
