import type { X509Certificate } from 'node:crypto'

/** One entry of a subject alternative name as Node formats it: JSON-quoted when it contains a comma or a quote. */
const entry = /(?:^|, )([^:,"]+):("(?:[^"\\]|\\.)*"|[^,"]*)/y

/**
 * The DNS names (lowercase) and URIs (`URI:…`) in a certificate's subject alternative names (RFC 5280 §4.2.1.6). Returns none at
 * all when one entry cannot be parsed, so that a crafted name cannot impersonate another.
 */
export function certificateNames(certificate: X509Certificate | undefined): string[] {
  const text = certificate?.subjectAltName ?? ''
  const names: string[] = []
  let end = 0
  entry.lastIndex = 0
  for (let match = entry.exec(text); match !== null; match = entry.exec(text)) {
    end = entry.lastIndex
    const [, type, value = ''] = match
    const name = value.startsWith('"') ? String(JSON.parse(value)) : value
    if (type === 'DNS') names.push(name.toLowerCase())
    if (type === 'URI') names.push(`URI:${name}`)
    if (end === text.length) return names
  }
  return []
}
