import type { IncomingMessage } from 'node:http'
import { clientKeyOf, findClientBehind, parsePeer, type TrustedProxies } from '../limit/client-key.ts'

/** The sender of a request: its address in canonical form, for the consent record, and the limiter's key. */
export interface Client {
  address: string
  key: string
}

/** Node joins the lines of a header with commas; its types allow a list for any header. */
export const headerOf = ({ headers }: IncomingMessage, name: string) => headers[name] as string | undefined

/**
 * Creates a reader that accepts `X-Forwarded-For` from trusted proxies, and no other forwarding header. `onUntrusted`
 * is called if it came from another peer: a proxy is missing in TRUSTED_PROXIES, or the caller forged the header.
 * `onCdn` is called if the client seems to be a CDN.
 */
export function createReadClient(isTrusted: TrustedProxies, onUntrusted = () => {}, onCdn = () => {}) {
  return (req: IncomingMessage): Client => {
    const peer = parsePeer(req.socket.remoteAddress)
    const forwardedFor = headerOf(req, 'x-forwarded-for')
    const address = forwardedFor === undefined ? peer : findClientBehind(peer, forwardedFor, isTrusted)
    if (forwardedFor !== undefined && address === peer && !isTrusted(peer)) onUntrusted()
    // RFC 8586. Of a CDN that is trusted, the last hop is not the client.
    if (req.headers['cdn-loop'] !== undefined && (address === peer || forwardedFor?.endsWith(address))) onCdn()
    return { address, key: clientKeyOf(address) }
  }
}

/** Creates the function that returns the client of a connection, or undefined for a proxy, which has many clients. */
export function createPeerKey(isTrusted: TrustedProxies) {
  return (address: string | undefined): string | undefined => {
    const peer = parsePeer(address)
    return isTrusted(peer) ? undefined : clientKeyOf(peer)
  }
}
