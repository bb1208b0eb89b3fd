/**
 * Creates a function that formats milliseconds since the epoch as RFC 3339 in UTC with milliseconds. Caches the text of
 * the current millisecond.
 */
export function createTimestampFormat(): (ms: number) => string {
  let lastMs = Number.NaN
  let text = ''
  return (ms) => {
    if (ms !== lastMs) {
      text = new Date(ms).toISOString()
      lastMs = ms
    }
    return text
  }
}
