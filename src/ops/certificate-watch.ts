import { X509Certificate } from 'node:crypto'
import type { UpkeepTask } from './upkeep.ts'

/** The certificates in use, as PEM text. */
export interface CertificatesInUse {
  cert: string
  ca: string
}

/** The names that the metric and the log have for them. */
export type CertificateName = 'server' | 'client_ca'

export interface CertificateWatchOptions {
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called with each certificate that is taken into use. */
  onExpiry(certificate: CertificateName, seconds: number): void
  /** Called once when a certificate has expired. */
  onExpired(certificate: CertificateName, at: string): void
}

export interface CertificateWatch {
  /** Call with the certificates in use, at the start and after each renewal. */
  use(certificates: CertificatesInUse): void
  /** Looks whether one has expired since. */
  check: UpkeepTask
  /** Undefined: none has expired. */
  readonly trouble: string | undefined
}

/**
 * Watches when the certificates of the internal listener expire. A server with an expired one still listens, and every
 * caller goes away without a call that could be counted.
 */
export function createCertificateWatch({ now, onExpiry, onExpired }: CertificateWatchOptions): CertificateWatch {
  let expiries: readonly (readonly [CertificateName, number])[] = []
  let reported = new Set<CertificateName>()

  function expired() {
    return expiries.filter(([, expiryMs]) => expiryMs <= now())
  }

  function report() {
    for (const [certificate, expiryMs] of expired()) {
      if (reported.has(certificate)) continue
      reported.add(certificate)
      onExpired(certificate, new Date(expiryMs).toISOString())
    }
  }

  return {
    use({ cert, ca }) {
      expiries = [
        ['server', Math.min(...expiriesOf(cert))],
        // A bundle may hold an old CA beside its successor.
        ['client_ca', Math.max(...expiriesOf(ca))],
      ]
      reported = new Set()
      for (const [certificate, expiryMs] of expiries) onExpiry(certificate, expiryMs / 1_000)
      report()
    },
    async check() {
      report()
      return 0
    },
    get trouble() {
      const [first] = expired()
      return first && `internal listener: ${first[0]} certificate expired at ${new Date(first[1]).toISOString()}`
    },
  }
}

/** When each certificate of a PEM text expires, in milliseconds since the epoch. */
function expiriesOf(pem: string): number[] {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return certificates.map((certificate) => Date.parse(new X509Certificate(certificate).validTo))
}
