const months = 'January February March April May June July August September October November December'.split(' ')

/** A day for people, in UTC: `January 1, 2026`. Not `toLocaleDateString`: the first use of ICU would cost 35 ms. */
export function longDate(date: Date): string {
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`
}
