import { type IpAddress, isIpv4, parseIpAddress } from './ip-address.ts'

/** A network: the addresses that share the first `bits` bits of `address`. */
export interface IpNetwork {
  address: IpAddress
  bits: number
  ipv4: boolean
}

/** Reads a CIDR, or a bare address as a network of its own. Throws a `TypeError` that quotes the text. */
export function parseIpNetwork(text: string): IpNetwork {
  const slash = text.indexOf('/')
  const address = parseIpAddress(slash < 0 ? text : text.slice(0, slash))
  if (address === undefined) throw new TypeError(`"${text}" is neither an IP address nor a CIDR`)
  // An IPv4-mapped address written as IPv6 counts its prefix from the front of all 128 bits.
  const dotted = !text.includes(':')
  const longest = dotted ? 32 : 128
  const prefix = slash < 0 ? String(longest) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) {
    throw new TypeError(`"${text}" needs a prefix length of 0 to ${longest}`)
  }
  const bits = Number(prefix) + (dotted ? 96 : 0)
  return { address, bits, ipv4: isIpv4(address) && bits >= 96 }
}

/** Whether a network holds an address. An IPv6 network holds no IPv4 address, `::/0` included. */
export function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  if (network.ipv4 !== isIpv4(address)) return false
  const wholeGroups = network.bits >> 4
  for (let i = 0; i < wholeGroups; i++) if (address[i] !== network.address[i]) return false
  const restBits = network.bits & 15
  if (restBits === 0) return true
  const difference = (address[wholeGroups] as number) ^ (network.address[wholeGroups] as number)
  return difference >> (16 - restBits) === 0
}
