const months = 'January February March April May June July August September October November December'.split(' ')

/**
 * Formats a day for people, in UTC: `January 1, 2026`. Not `toLocaleDateString`, whose first call takes 35 ms to load
 * ICU.
 */
export function longDate(date: Date): string {
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`
}
