/** Header fields as a flat list, each name followed by its value: the format that `writeHead` uses without copying. */
export type HeaderFields = readonly string[]

/** Converts an object to header fields, in its order. */
export function headerFields(record: Readonly<Record<string, string>>): HeaderFields {
  return Object.entries(record).flat()
}

/** Joins lists of fields. Of fields with the same name (ignoring case), the last one wins. */
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
