/** Why a TLS handshake failed. The metric and the log use the same words. */
export type HandshakeFault =
  | 'no_certificate'
  | 'untrusted_certificate'
  | 'expired_certificate'
  | 'not_tls'
  | 'unsupported_version'
  | 'timeout'
  | 'broken_off'
  | 'other'

const faults: readonly [RegExp, HandshakeFault][] = [
  [/PEER_DID_NOT_RETURN_A_CERTIFICATE/, 'no_certificate'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'expired_certificate'],
  [/ISSUER_CERT|LEAF_SIGNATURE|SELF_SIGNED|CERT_|INVALID_CA|INVALID_PURPOSE/, 'untrusted_certificate'],
  [/HTTP_REQUEST|WRONG_VERSION_NUMBER|PACKET_LENGTH/, 'not_tls'],
  [/UNSUPPORTED_PROTOCOL|UNKNOWN_PROTOCOL|VERSION_TOO_LOW/, 'unsupported_version'],
  [/HANDSHAKE_TIMEOUT/, 'timeout'],
  [/ECONNRESET|EPIPE/, 'broken_off'],
]

/** Classifies a failed handshake from Node's error code and, for a certificate, its authorization error. */
export function handshakeFault(error: Error, authorizationError: unknown): { fault: HandshakeFault; code: string } {
  const code = String(authorizationError || ('code' in error && error.code) || error.name)
  const fault = faults.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
  return { fault, code }
}
