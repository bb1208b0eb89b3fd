/** Each commit that adds to the feed notifies this channel. */
export const storedChannel = 'leads'

/** The last position of the feed. Every earlier position is either visible or will never be used. */
export const headExpression = `greatest(0, (SELECT max(position) FROM leads), (SELECT max(position) FROM changes))::float8`

/**
 * Formats a time like a receipt, with microseconds only if another program stored some. Includes the era:
 * otherwise nobody would notice a time that was moved to the same year before Christ.
 */
export function exactTime(column: string): string {
  return `regexp_replace(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '000$', '') || 'Z' ||
    CASE WHEN ${column} < timestamptz '0001-01-01T00:00:00Z' THEN ' BC' ELSE '' END`
}

/** Formats a time like a receipt. */
export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
