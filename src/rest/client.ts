import type { IncomingMessage } from 'node:http'
import { clientAddress, clientNetwork, isTrustedProxy, type TrustedProxies } from '../limit/client-key.ts'

/** Who sent a request. */
export interface Client {
  /** The address in canonical text, for the consent record. */
  address: string
  /** The network that has one rate limit: the limiter's key. */
  key: string
}

/** Tells who sent a request. */
export type ReadClient = (request: IncomingMessage) => Client

/**
 * Makes a reader that believes `X-Forwarded-For` from the trusted proxies, and no other forwarding field. `onUntrusted`
 * hears of each request that has the field from another peer: a gateway that TRUSTED_PROXIES lacks, whose callers all count
 * as one client, or a caller who made it up.
 */
export function createReadClient(trusted: TrustedProxies, onUntrusted: () => void = () => {}): ReadClient {
  return ({ socket, headers }) => {
    // Node has joined the field's lines with commas; its types allow a list, as for any field.
    const forwardedFor = headers['x-forwarded-for'] as string | undefined
    if (forwardedFor !== undefined && !isTrustedProxy(socket.remoteAddress ?? '', trusted)) onUntrusted()
    const address = clientAddress(socket.remoteAddress, forwardedFor, trusted)
    return { address, key: clientNetwork(address) }
  }
}
