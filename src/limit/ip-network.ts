import { type IpAddress, isIpv4, parseIpAddress } from './ip-address.ts'

/** The addresses that share the first `bits` bits with `address`. */
export interface IpNetwork {
  address: IpAddress
  bits: number
  ipv4: boolean
}

/** Parses a CIDR, or an address as a network with a single member. Throws a `TypeError` that quotes the text. */
export function parseIpNetwork(text: string): IpNetwork {
  const slash = text.indexOf('/')
  const address = parseIpAddress(slash < 0 ? text : text.slice(0, slash))
  if (address === undefined) throw new TypeError(`"${text}" is neither an IP address nor a CIDR`)
  // The prefix length of an IPv4-mapped address in IPv6 notation counts all 128 bits.
  const dotted = !text.includes(':')
  const longest = dotted ? 32 : 128
  const prefix = slash < 0 ? String(longest) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) {
    throw new TypeError(`"${text}" needs a prefix length of 0 to ${longest}`)
  }
  const bits = Number(prefix) + (dotted ? 96 : 0)
  return { address, bits, ipv4: isIpv4(address) && bits >= 96 }
}

/** Whether the network contains an address. No IPv6 network contains an IPv4 address, not even `::/0`. */
export function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  if (network.ipv4 !== isIpv4(address)) return false
  const wholeGroups = network.bits >> 4
  for (let i = 0; i < wholeGroups; i++) if (address[i] !== network.address[i]) return false
  const restBits = network.bits & 15
  if (restBits === 0) return true
  const difference = (address[wholeGroups] as number) ^ (network.address[wholeGroups] as number)
  return difference >> (16 - restBits) === 0
}
