import { X509Certificate } from 'node:crypto'
import type { UpkeepTask } from './upkeep.ts'

/** The certificates in use, as PEM text. */
export interface CertificatesInUse {
  cert: string
  ca: string
}

/** Their names in the metric and the log. */
export type CertificateName = 'server' | 'client_ca'

export interface CertificateWatchOptions {
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called for each certificate that is put into use. */
  onExpiry(certificate: CertificateName, seconds: number): void
  /** Called once when a certificate has expired. */
  onExpired(certificate: CertificateName, at: string): void
}

export interface CertificateWatch {
  /** Call this with the certificates in use, at the start and after each renewal. */
  use(certificates: CertificatesInUse): void
  /** Checks whether one has expired. */
  check: UpkeepTask
  /** Undefined: none has expired. */
  readonly trouble: string | undefined
}

/**
 * Watches the expiry of the internal listener's certificates. A server with an expired one still listens, but every
 * caller disconnects before a call that could be counted.
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
        // A bundle may contain an old CA next to its successor.
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

/** The expiry of each certificate in a PEM text, in milliseconds since the epoch. */
function expiriesOf(pem: string): number[] {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return certificates.map((certificate) => Date.parse(new X509Certificate(certificate).validTo))
}
