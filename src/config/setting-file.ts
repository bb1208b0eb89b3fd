import { readFileSync, statSync } from 'node:fs'

/** Longer than any key, chain of certificates or wording. */
const maxBytes = 1_048_576

/**
 * Reads the file that a setting names. Throws an error whose `code` tells a person what is there instead. Only regular
 * files are read: a pipe may have no writer, and a device no end, and the start would wait without a word.
 */
export function readSettingFile(path: string): Buffer {
  const stats = statSync(path)
  if (stats.isFile() && stats.size <= maxBytes) return readFileSync(path)
  const code = stats.isDirectory() ? 'EISDIR' : stats.isFile() ? `${stats.size} bytes` : 'a pipe or a device'
  throw Object.assign(new Error(`cannot be read: ${code}`), { code })
}
