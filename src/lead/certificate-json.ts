import type { Certificate } from './certificate.ts'
import { printable } from './certificate-html.ts'

/** Renders a certificate as JSON, without the control and bidirectional characters that steer a terminal. */
export function certificateJson(certificate: Certificate): string {
  const text = JSON.stringify(certificate, (_, value) => (typeof value === 'string' ? printable(value) : value), 2)
  // The replacer does not see the names of members, and an administrator may have altered those too.
  return printable(text)
}
