import { hash } from 'node:crypto'
import { formatIpAddress, type IpAddress, isIpv4, parseIpAddress } from './ip-address.ts'
import { type IpNetwork, isInNetwork, parseIpNetwork } from './ip-network.ts'

/** Networks of proxies whose `X-Forwarded-For` is trusted. */
export type TrustedProxies = readonly IpNetwork[]

const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Parses a comma-separated list of CIDRs, addresses and the names `loopback`, `linklocal` and `uniquelocal`. An empty
 * text trusts nobody. Throws a `TypeError` that quotes the invalid part.
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (text.trim() === '') return []
  const parts = text.split(',').map((part) => part.trim())
  return parts.flatMap((part) => namedNetworks[part] ?? [part]).map(parseIpNetwork)
}

function isTrusted(address: IpAddress, trusted: TrustedProxies): boolean {
  for (const network of trusted) if (isInNetwork(address, network)) return true
  return false
}

let lastPeer = ''
let lastPeerAddress: IpAddress | undefined

/** Parses a peer's address. Behind a proxy, most requests have the same one, so the last result is kept. */
function parsePeer(peer: string): IpAddress | undefined {
  if (peer !== lastPeer) {
    lastPeerAddress = parseHop(peer)
    lastPeer = peer
  }
  return lastPeerAddress
}

/** Whether a peer is a proxy whose `X-Forwarded-For` is trusted. */
export function isTrustedProxy(address: string, trusted: TrustedProxies): boolean {
  const parsed = parsePeer(address)
  return parsed !== undefined && isTrusted(parsed, trusted)
}

/** Placeholder for a peer whose socket is closed. Nobody will read that answer. */
const goneAddress = '0.0.0.0'

/**
 * The client's address in canonical form. It is the peer's address, unless the peer is a trusted proxy. Then
 * `X-Forwarded-For` (Node joins its lines with commas) is read from right to left, past trusted hops, and the first
 * untrusted address is the client. An entry that is not an address stops the search at the last valid hop, so that
 * callers cannot choose their own rate-limit bucket.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  let client = peer === undefined ? undefined : parsePeer(peer)
  if (client === undefined) return goneAddress
  if (forwardedFor !== undefined) {
    let end = forwardedFor.length
    while (end >= 0 && isTrusted(client, trusted)) {
      const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
      const hop = parseHop(forwardedFor.slice(comma + 1, end))
      if (hop === undefined) break
      client = hop
      end = comma
    }
  }
  return formatIpAddress(client)
}

/** Longer than any address with port, zone and spaces. */
const forwardedHopMaxLength = 100

/** Parses an entry as proxies write it: an address, `1.2.3.4:80`, `[2001:db8::1]:80`, IPv6 with or without a zone. */
function parseHop(entry: string): IpAddress | undefined {
  if (entry.length > forwardedHopMaxLength) return undefined
  const text = entry.trim()
  const plain = parseIpAddress(text)
  if (plain !== undefined) return plain
  const [, address] = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text) ?? [text, text]
  const [beforeZone] = (address as string).split('%', 1)
  // Only IPv6 addresses have zones (RFC 4007 §11).
  return beforeZone?.includes(':') || beforeZone === address ? parseIpAddress(beforeZone as string) : undefined
}

/** The prefix length that counts as one IPv6 client. A provider assigns at least a /64 to each household. */
const ipv6ClientBits = 64

/**
 * The network that counts as one client, in canonical form: a single IPv4 address (IPv4-mapped ones included), or the
 * /64 of an IPv6 address. Throws a `TypeError` when the text is not an address.
 */
export function clientNetwork(address: string): string {
  const groups = parseIpAddress(address)
  if (groups === undefined) throw new TypeError('not an IP address')
  // Dotted IPv4 text has only one spelling, so it is already canonical.
  if (isIpv4(groups)) return address.includes(':') ? formatIpAddress(groups) : address
  const network = groups.slice(0, ipv6ClientBits / 16)
  while (network.length < 8) network.push(0)
  return `${formatIpAddress(network)}/${ipv6ClientBits}`
}

/** The prefix length of one IPv6 site, whose clients share a limit. Providers assign a customer a /48 at most. */
const ipv6SiteBits = 48

/** The /48 of an IPv6 client's network (`clientNetwork`), in canonical form. Undefined for IPv4. */
export function siteNetwork(clientKey: string): string | undefined {
  if (!clientKey.includes(':')) return undefined
  const groups = parseIpAddress(clientKey.slice(0, clientKey.indexOf('/')))
  if (groups === undefined) throw new TypeError('not the network of a client')
  const network = groups.slice(0, ipv6SiteBits / 16)
  while (network.length < 8) network.push(0)
  return `${formatIpAddress(network)}/${ipv6SiteBits}`
}

/**
 * Creates the function that pseudonymizes a client's network outside this process: 128 bits of a SHA-256 keyed with the
 * secret, as 22 base64url characters. All replicas need the same secret. Plain SHA-256 with the key as a prefix is as
 * safe as HMAC here, because a truncated hash cannot be extended, and it takes a fifth of the time.
 */
export function createClientKey(secret: string): (network: string) => string {
  const prefix = hash('sha256', secret)
  return (network) => hash('sha256', prefix + network, 'base64url').slice(0, 22)
}
