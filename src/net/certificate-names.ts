import type { X509Certificate } from 'node:crypto'

/** One subject alternative name as Node formats it: JSON-quoted when it contains a comma or a quote. */
const alternativeName = /(?:^|, )([^:,"]+):("(?:[^"\\]|\\.)*"|[^,"]*)/gy

/**
 * The DNS names (lowercase) and URIs (`URI:…`) among a certificate's subject alternative names (RFC 5280 §4.2.1.6). If
 * any of these names cannot be parsed, returns none, so that a crafted name cannot impersonate another.
 */
export function certificateNames(certificate: X509Certificate | undefined): string[] {
  const text = certificate?.subjectAltName ?? ''
  const parsed = [...text.matchAll(alternativeName)]
  if (parsed.map(([whole]) => whole).join('') !== text) return []
  return parsed.flatMap(([, type, value = '']) => {
    const name = value.startsWith('"') ? String(JSON.parse(value)) : value
    if (type === 'DNS') return [name.toLowerCase()]
    return type === 'URI' ? [`URI:${name}`] : []
  })
}
