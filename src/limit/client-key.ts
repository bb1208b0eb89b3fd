import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Networks of proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  ipv4: BlockList
  ipv6: BlockList
}

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
  const trusted = { ipv4: new BlockList(), ipv6: new BlockList() }
  if (text.trim() === '') return trusted
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts.flatMap((part) => (Object.hasOwn(namedNetworks, part) ? namedNetworks[part] : part) ?? [])) {
    const { address, bits } = parseRange(part)
    trusted[address.kind()].addSubnet(address.toString(), bits, address.kind())
  }
  return trusted
}

/** An address is a range with a single member. IPv4-mapped ranges become those of IPv4. */
function parseRange(text: string) {
  const [start = '', prefix, ...rest] = text.split('/')
  const version = isIP(start)
  const longest = version === 4 ? 32 : 128
  if (version === 0 || rest.length > 0) throw new TypeError(`"${text}" is neither an IP address nor a CIDR`)
  const bits = prefix === undefined ? longest : Number(prefix)
  if (!/^\d{1,3}$/.test(prefix ?? '0') || bits > longest) {
    throw new TypeError(`"${text}" needs a prefix length of 0 to ${longest}`)
  }
  const address = ipaddr.process(start)
  return { address, bits: address.kind() === 'ipv4' && version === 6 ? Math.max(0, bits - 96) : bits }
}

/** Whether a peer, by its address in canonical form, is a proxy whose `X-Forwarded-For` is trusted. */
export function isTrusted(address: string, { ipv4, ipv6 }: TrustedProxies): boolean {
  return address.includes(':') ? ipv6.check(address, 'ipv6') : ipv4.check(address, 'ipv4')
}

/** Longer than any address with port, zone and spaces. */
const hopMaxLength = 100

/**
 * Parses an entry as proxies write it: an address, `1.2.3.4:80`, `[2001:db8::1]:80`, IPv6 with or without a zone.
 * Returns it in canonical form. IPv4-mapped addresses become IPv4. The strict check comes first, since the library
 * reads `010.0.0.1` and `1` too.
 */
function parseHop(entry: string): string | undefined {
  if (isIP(entry) === 4) return entry
  if (entry.length > hopMaxLength) return undefined
  const text = entry.trim()
  const [, address = text] = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  const [beforeZone = ''] = address.split('%', 1)
  // Only IPv6 addresses have zones (RFC 4007 §11).
  const plain = beforeZone.includes(':') ? beforeZone : address
  const version = isIP(plain)
  if (version === 0) return undefined
  return version === 4 ? plain : ipaddr.process(plain).toString()
}

/** The address of a connection's other end in canonical form. A placeholder for a closed one: nobody reads its answer. */
export function parsePeer(address: string | undefined): string {
  return parseHop(address ?? '') ?? '0.0.0.0'
}

/**
 * The address of the client behind a trusted proxy, in canonical form. `X-Forwarded-For` (Node joins its lines with
 * commas) is read from right to left, past trusted hops, and the first untrusted address is the client. An entry that is
 * not an address stops the search at the last valid hop, so that callers cannot choose their own rate-limit bucket.
 */
export function findClientBehind(proxy: string, forwardedFor: string, trusted: TrustedProxies): string {
  let client = proxy
  let end = forwardedFor.length
  do {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
    const hop = parseHop(forwardedFor.slice(comma + 1, end))
    if (hop === undefined) break
    client = hop
    end = comma
  } while (end >= 0 && isTrusted(client, trusted))
  return client
}

/**
 * What counts as one client, in canonical form: an IPv4 address (IPv4-mapped ones included), or the /64 of an IPv6
 * address, since a provider assigns at least a /64 to each household. Throws a `TypeError` for other texts.
 */
export function clientKeyOf(address: string): string {
  const version = isIP(address)
  if (version === 0) throw new TypeError('not an IP address')
  if (version === 4) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? firstBits(parsed, 64) : parsed.toString()
}

/** The network of a client: its /48, since a provider assigns at most a /48 to a customer. Undefined for IPv4. */
export function networkOf(clientKey: string): string | undefined {
  const [address = '', bits] = clientKey.split('/')
  return bits === undefined ? undefined : firstBits(ipaddr.IPv6.parse(address), 48)
}

function firstBits({ parts }: ipaddr.IPv6, bits: number): string {
  return `${new ipaddr.IPv6(parts.map((part, at) => (at < bits / 16 ? part : 0)))}/${bits}`
}
