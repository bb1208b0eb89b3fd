/**
 * Makes a function that writes milliseconds since the epoch as RFC 3339 in UTC with milliseconds. What happens in the same
 * millisecond shares one text.
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
