import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'

/** In PEM. `ca` signs the client certificates. */
export interface Certificates {
  cert: string
  key: string
  ca: string
}

/** `files` has the paths of the parts that were read from files. A part without a path never changes. */
export type WatchedCertificates = Certificates & { files: { [part in keyof Certificates]?: string | undefined } }

/** Reads changed files again, and calls `onRenewal` if they are usable, else `onError`. Returns the stop function. */
export function watchTlsFiles(
  { files, ...tls }: WatchedCertificates,
  onRenewal: (tls: Certificates) => void,
  onError: (error: unknown) => void,
  everyMs = 5_000,
) {
  let current: Certificates = tls
  const paths = Object.entries(files).filter((file): file is [string, string] => file[1] !== undefined)

  function reload(): void {
    try {
      const parts = paths.map(([part, path]) => [part, readFileSync(path, 'utf8').trim()])
      const fresh: Certificates = { ...current, ...Object.fromEntries(parts) }
      if (fresh.cert === current.cert && fresh.key === current.key && fresh.ca === current.ca) return
      requireUsable(fresh)
      onRenewal(fresh)
      current = fresh
    } catch (error) {
      onError(error)
    }
  }

  // `watchFile` follows symbolic links, because Kubernetes replaces the folder that they point into.
  for (const [, path] of paths) watchFile(path, { persistent: false, interval: everyMs }, reload)
  return () => {
    for (const [, path] of paths) unwatchFile(path, reload)
  }
}

/** Throws if the texts are not certificates, the key does not match, or the certificate has expired. */
function requireUsable({ cert, key, ca }: Certificates): void {
  const certificate = new X509Certificate(cert)
  new X509Certificate(ca)
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new TypeError('the key does not match the certificate')
  if (certificate.validToDate.getTime() <= Date.now()) throw new TypeError(`it expired: ${certificate.validTo}`)
}

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
