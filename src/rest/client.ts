import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { clientKeyOf, findClientBehind, isTrusted, parsePeer, type TrustedProxies } from '../limit/client-key.ts'

/** The sender of a request. */
export interface Client {
  /** The address in canonical form, for the consent record. */
  address: string
  /** What counts as one client: the limiter's key. */
  key: string
}

/** The other end of a connection. */
interface Peer extends Client {
  isTrusted: boolean
}

export type ReadClient = (request: IncomingMessage) => Client

/**
 * Creates a reader that trusts `X-Forwarded-For` from trusted proxies, and no other forwarding header. `onUntrusted` is
 * called for each request that has the header from another peer: either a gateway is missing in TRUSTED_PROXIES, and
 * all its callers count as one client, or the caller forged it.
 */
export function createReadClient(trusted: TrustedProxies, onUntrusted: () => void = () => {}): ReadClient {
  const peers = new WeakMap<Socket, Peer>()
  const peerOf = (socket: Socket) => {
    const known = peers.get(socket)
    if (known) return known
    const address = parsePeer(socket.remoteAddress)
    const peer = { address, key: clientKeyOf(address), isTrusted: isTrusted(address, trusted) }
    peers.set(socket, peer)
    return peer
  }
  return ({ socket, headers }) => {
    const peer = peerOf(socket)
    // Node joins the lines of this header with commas. Its types allow a list for any header.
    const forwardedFor = headers['x-forwarded-for'] as string | undefined
    if (forwardedFor === undefined) return peer
    if (!peer.isTrusted) {
      onUntrusted()
      return peer
    }
    const address = findClientBehind(peer.address, forwardedFor, trusted)
    return { address, key: clientKeyOf(address) }
  }
}

/** Creates the function that returns the client of a connection. Undefined for a trusted proxy: it has many clients. */
export function createPeerKey(trusted: TrustedProxies): (address: string) => string | undefined {
  return (address) => {
    const peer = parsePeer(address)
    return isTrusted(peer, trusted) ? undefined : clientKeyOf(peer)
  }
}
