import { clientAddress, clientNetwork, isTrustedProxy, networkOf, type TrustedProxies } from '../limit/client-key.ts'

export interface PeerLimits {
  /** Connections per client address. */
  maxPerClient: number
  /** Exempt, because they carry many clients. */
  trustedProxies: TrustedProxies
}

/** The limit of an IPv6 /48, as a multiple of a client's limit (docs/specification.md §11). */
const siteFactor = 10

/** Counts connections per source address. */
export interface PeerCounter {
  /**
   * Counts a connection. Undefined: too many from that address. Call the returned function when the connection closes.
   */
  enter(address: string | undefined): (() => void) | undefined
}

export function createPeerCounter({ maxPerClient, trustedProxies }: PeerLimits): PeerCounter {
  const counts = new Map<string, number>()
  const isFull = (network: string | undefined, most: number) =>
    network !== undefined && (counts.get(network) ?? 0) >= most
  const add = (network: string | undefined, difference: 1 | -1) => {
    if (network === undefined) return
    const count = (counts.get(network) ?? 0) + difference
    if (count === 0) counts.delete(network)
    else counts.set(network, count)
  }

  return {
    enter(address) {
      // A socket without an address is already closed.
      if (address === undefined || isTrustedProxy(address, trustedProxies)) return () => {}
      const client = clientNetwork(clientAddress(address, undefined, []))
      const site = networkOf(client)
      if (isFull(client, maxPerClient) || isFull(site, siteFactor * maxPerClient)) return undefined
      add(client, 1)
      add(site, 1)
      return () => {
        add(client, -1)
        add(site, -1)
      }
    },
  }
}
