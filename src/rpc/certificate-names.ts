import type { X509Certificate } from 'node:crypto'

/** One entry of a subject alternative name as Node prints it: quoted as JSON where it holds a comma or a quote. */
const entry = /(?:^|, )([^:,"]+):("(?:[^"\\]|\\.)*"|[^,"]*)/y

/**
 * The DNS names (in lower case) and URIs among a certificate's subject alternative names (RFC 5280 §4.2.1.6). None at all
 * when one of them cannot be read, so that a crafted name cannot pass for another.
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
    if (type === 'URI') names.push(name)
    if (end === text.length) return names
  }
  return []
}
