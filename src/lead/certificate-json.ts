import type { Certificate } from './certificate.ts'
import { printable } from './certificate-html.ts'

/** Renders a certificate as JSON for programs, which a terminal can show: without control and bidirectional characters. */
export function certificateJson(certificate: Certificate): string {
  const text = JSON.stringify(certificate, (_, value) => (typeof value === 'string' ? printable(value) : value), 2)
  // An administrator may have renamed a member, which the replacer does not see.
  return printable(text)
}
