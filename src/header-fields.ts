/** Header fields in one row, each name before its value: the form that Node writes without a copy (`writeHead`). */
export type HeaderFields = readonly string[]

/** The fields of an object, in its order. */
export function headerFields(record: Readonly<Record<string, string>>): HeaderFields {
  return Object.entries(record).flat()
}

/** Joins fields. Of those with one name, whatever its case, the last stays. */
export function mergeHeaderFields(...parts: readonly HeaderFields[]): HeaderFields {
  const fields = new Map<string, [name: string, value: string]>()
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 2) {
      const name = part[at] as string
      fields.set(name.toLowerCase(), [name, part[at + 1] as string])
    }
  }
  return [...fields.values()].flat()
}
