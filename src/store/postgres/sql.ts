/** Notified by each commit that adds to the feed. */
export const storedChannel = 'leads'

/** A time in the form of a receipt. */
export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
