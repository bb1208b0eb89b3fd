/** Notified by each commit that adds to the feed. */
export const storedChannel = 'leads'

/** The last place in the feed. Every place before it is visible too, or was never used. */
export const headExpression = `greatest(0, (SELECT max(position) FROM leads), (SELECT max(position) FROM changes))::float8`

/** A time in the form of a receipt, with microseconds only where somebody else has stored some. */
export function exactTime(column: string): string {
  return `regexp_replace(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '000$', '') || 'Z'`
}

/** A time in the form of a receipt. */
export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
