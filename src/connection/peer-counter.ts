import { clientAddress, clientNetwork, isTrustedProxy, siteNetwork, type TrustedProxies } from '../limit/client-key.ts'

export interface PeerLimits {
  /** Connections that one client address may hold. */
  maxPerClient: number
  /** They carry many clients, and are exempt. */
  trustedProxies: TrustedProxies
}

/** How many times more connections the clients of one IPv6 /48 may hold together (docs/specification.md §11). */
const siteFactor = 10

/** Counts connections by the address that they come from. */
export interface PeerCounter {
  /** Counts a connection; undefined: there are too many from there. The function that it returns counts it out again. */
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
      // A socket without an address is closed already.
      if (address === undefined || isTrustedProxy(address, trustedProxies)) return () => {}
      const client = clientNetwork(clientAddress(address, undefined, []))
      const site = siteNetwork(client)
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
