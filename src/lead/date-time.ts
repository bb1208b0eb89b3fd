const grammar = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|[+-]00:00)$/

/**
 * Reads an RFC 3339 §5.6 date-time in UTC; gives milliseconds since the epoch, or undefined when the text is none.
 * `Date.parse` alone would take February 30th, 24:00 and texts without a zone. A leap second counts as the second after.
 */
export function parseUtcDateTime(text: string): number | undefined {
  const parts = grammar.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const leap = second === 60
  if (hour > 23 || minute > 59 || second > 60 || (leap && (hour !== 23 || minute !== 59))) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second, Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0')))
  return date.getTime()
}
