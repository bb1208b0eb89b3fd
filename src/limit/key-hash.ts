import { hash } from 'node:crypto'

/**
 * Creates the function that pseudonymizes a client or network for Redis: the first 128 bits of a SHA-256 over secret and
 * key, as 22 base64url characters. A truncated hash cannot be extended, so HMAC is not needed.
 */
export function createKeyHash(secret: string): (key: string) => string {
  const prefix = hash('sha256', secret)
  return (key) => hash('sha256', prefix + key, 'base64url').slice(0, 22)
}
