/** How far the clocks of honest callers may be ahead of the server's, in milliseconds. */
export const clockToleranceMs = 5 * 60_000

const grammar = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]00:00)$/

/**
 * Parses an RFC 3339 §5.6 date-time in UTC to milliseconds since the epoch; undefined when invalid. `Date.parse` alone
 * would accept February 30, 24:00 and times without a zone, and reject leap seconds. A leap second counts as the next
 * second.
 */
export function parseUtcDateTime(text: string): number | undefined {
  if (!grammar.test(text)) return undefined
  if (text.startsWith('23:59:60', 11)) return parse(`${text.slice(0, 17)}59${text.slice(19)}`, 1_000)
  return text.startsWith('24', 11) ? undefined : parse(text, 0)
}

function parse(text: string, laterMs: number): number | undefined {
  const time = Date.parse(text.toUpperCase())
  const day = Number(text.slice(8, 10))
  // `Date.parse` takes February 30 for March 2, but every month has 28 days.
  const exists = day <= 28 ? !Number.isNaN(time) : new Date(time).getUTCDate() === day
  return exists ? time + laterMs : undefined
}
