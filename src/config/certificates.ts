import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Faults } from './faults.ts'

/** Reports certificates that cannot be parsed, and a key that does not match. Shows nothing of their contents. */
export function checkCertificates({ cert, key, ca }: { cert: string; key: string; ca: string }, faults: Faults): void {
  const certificate = attempt(() => new X509Certificate(cert))
  const privateKey = attempt(() => createPrivateKey(key))
  if (!certificate) faults.add(['INTERNAL_TLS_CERT'], 'expected a certificate in PEM')
  if (!privateKey) faults.add(['INTERNAL_TLS_KEY'], 'expected a private key in PEM without a passphrase')
  if (!attempt(() => new X509Certificate(ca))) faults.add(['INTERNAL_TLS_CLIENT_CA'], 'expected a certificate in PEM')
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey)) {
    faults.add(
      ['INTERNAL_TLS_CERT', 'INTERNAL_TLS_KEY'],
      'expected a certificate and its own key; these two do not match',
    )
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
