/** How far the clocks of honest callers may be ahead of the server's, in milliseconds. */
export const clockToleranceMs = 5 * 60_000

const grammar = /^\d{4}-\d{2}-(\d{2})[Tt](?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|23:59:(60))(?:\.\d+)?(?:[Zz]|[+-]00:00)$/

/**
 * Parses an RFC 3339 §5.6 date-time in UTC to milliseconds since the epoch; undefined when invalid. A leap second
 * counts as the next second.
 */
export function parseUtcDateTime(text: string): number | undefined {
  const [, day, leap] = grammar.exec(text) ?? []
  const time = Date.parse(text.toUpperCase().replace(':60', ':59'))
  // `Date.parse` takes February 30 for March 2.
  return new Date(time).getUTCDate() === Number(day) ? time + (leap ? 1_000 : 0) : undefined
}
