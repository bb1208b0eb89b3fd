/**
 * An IP address as eight groups of 16 bits. IPv4 addresses use their IPv4-mapped form `::ffff:a.b.c.d` (RFC 4291
 * §2.5.5.2), so both spellings of an address are equal.
 */
export type IpAddress = readonly number[]

const dot = 0x2e
const colon = 0x3a

/** Whether the bits are those of an IPv4 address. */
export function isIpv4(address: IpAddress): boolean {
  for (let i = 0; i < 5; i++) if (address[i] !== 0) return false
  return address[5] === 0xffff
}

/**
 * Parses an IPv4 address (four decimal parts without leading zeros) or an IPv6 address (RFC 4291 §2.2). Undefined for
 * anything else, including zones, ports, brackets and spaces. Hand-written because it runs for each hop of each
 * request.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > 45) return undefined
  if (text.includes(':')) return parseIpv6(text)
  const value = parseIpv4(text, 0)
  return value < 0 ? undefined : [0, 0, 0, 0, 0, 0xffff, Math.floor(value / 0x10000), value % 0x10000]
}

/** Parses the rest of the text as an IPv4 address of 32 bits. -1: it is not one. */
function parseIpv4(text: string, start: number): number {
  let value = 0
  let part = 0
  let digits = 0
  let dots = 0
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === dot) {
      if (digits === 0 || ++dots > 3) return -1
      value = value * 256 + part
      part = 0
      digits = 0
    } else {
      const digit = code - 0x30
      if (digit < 0 || digit > 9 || (digits > 0 && part === 0)) return -1
      part = part * 10 + digit
      digits++
      if (part > 255) return -1
    }
  }
  return dots === 3 && digits > 0 ? value * 256 + part : -1
}

function parseIpv6(text: string): IpAddress | undefined {
  const groups: number[] = []
  let gap = -1
  let i = 0
  if (text.startsWith('::')) {
    gap = 0
    i = 2
  }
  while (i < text.length) {
    if (groups.length === 8) return undefined
    const start = i
    let group = 0
    while (i < text.length && i - start < 5) {
      const digit = hexDigit(text.charCodeAt(i))
      if (digit < 0) break
      group = group * 16 + digit
      i++
    }
    if (text.charCodeAt(i) === dot) {
      const value = parseIpv4(text, start)
      if (value < 0 || groups.length > 6) return undefined
      groups.push(Math.floor(value / 0x10000), value % 0x10000)
      break
    }
    if (i === start || i - start > 4) return undefined
    groups.push(group)
    if (i === text.length) break
    if (text.charCodeAt(i++) !== colon || i === text.length) return undefined
    if (text.charCodeAt(i) === colon) {
      if (gap >= 0) return undefined
      gap = groups.length
      i++
    }
  }
  return fillGap(groups, gap)
}

/** Expands `::` to one or more zero groups. */
function fillGap(groups: number[], gap: number): IpAddress | undefined {
  if (gap < 0) return groups.length === 8 ? groups : undefined
  if (groups.length > 7) return undefined
  const after = groups.splice(gap)
  while (groups.length + after.length < 8) groups.push(0)
  return groups.concat(after)
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The canonical text of an address: dotted decimal for IPv4, RFC 5952 for IPv6. */
export function formatIpAddress(address: IpAddress): string {
  if (isIpv4(address)) {
    const high = address[6] as number
    const low = address[7] as number
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  // Shortens the first of the longest runs of zero groups (RFC 5952 §4.2.3), but never a single group (§4.2.2).
  let gapStart = 0
  let gapEnd = 1
  let runStart = 0
  for (let i = 0; i <= 8; i++) {
    if (address[i] === 0) continue
    if (i - runStart > gapEnd - gapStart) {
      gapStart = runStart
      gapEnd = i
    }
    runStart = i + 1
  }
  if (gapEnd - gapStart < 2) return formatGroups(address, 0, 8)
  return `${formatGroups(address, 0, gapStart)}::${formatGroups(address, gapEnd, 8)}`
}

function formatGroups(address: IpAddress, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) text += (i > start ? ':' : '') + (address[i] as number).toString(16)
  return text
}
