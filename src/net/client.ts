import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'

/** Whether an address is that of a proxy whose `X-Forwarded-For` is trusted. */
export type TrustedProxies = (address: string) => boolean

/** Parses a comma-separated list of CIDRs, addresses and the names that `proxy-addr` knows. Throws a `TypeError`. */
export function parseTrustedProxies(text: string): TrustedProxies {
  const parts = text.split(',').map((part) => part.trim())
  // The library would also accept `010.0.0.1` and `1`.
  if (parts.some((part) => /\d/.test(part) && isIP(part.split('/', 1)[0] ?? '') === 0))
    throw new TypeError('not an address')
  const trust = proxyAddr.compile(text.trim() === '' ? [] : parts)
  // A proxy sends many requests in a row.
  let last = { address: '', isTrusted: false }
  return (address) => {
    if (address !== last.address) last = { address, isTrusted: trust(address, 0) }
    return last.isTrusted
  }
}

/**
 * An address in canonical form, without a zone (RFC 4007 §11). IPv4-mapped addresses become IPv4. A connection that is
 * closed already has a placeholder.
 */
function canonical(address = '0.0.0.0'): string {
  return isIP(address) === 4 ? address : ipaddr.process(address.split('%', 1)[0] ?? '').toString()
}

/** An address as some proxies write it, with a port or brackets: `1.2.3.4:80`, `[2001:db8::1]:80`. */
const port = /\[([\w:.%]{2,60})\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}/g

/**
 * The address of the client behind a trusted proxy, in canonical form. `X-Forwarded-For` (Node joins its lines with
 * commas) is read from right to left, past trusted hops, and the first untrusted address is the client. An entry that
 * is not an address stops the search at the last valid hop, so that callers cannot choose their own rate-limit bucket.
 */
function findClientBehind(proxy: string, forwardedFor: string, trusted: TrustedProxies): string {
  // Usually there is one proxy. The general case below gives the same result, but takes four times as long.
  if (isIP(forwardedFor) !== 0) return trusted(proxy) ? canonical(forwardedFor) : proxy
  const headers = { 'x-forwarded-for': forwardedFor.replace(port, '$1$2') }
  const hops = proxyAddr.all({ socket: { remoteAddress: proxy }, headers } as unknown as IncomingMessage, trusted)
  return canonical(hops.findLast((hop) => isIP(hop) !== 0) ?? proxy)
}

/**
 * What counts as one client, for an address in canonical form: an IPv4 address, or the /64 of an IPv6 address, since a
 * provider assigns at least a /64 to each household.
 */
function clientKeyOf(address: string): string {
  return isIP(address) === 4 ? address : firstBits(ipaddr.IPv6.parse(address), 64)
}

/** The network of a client: its /48, since a provider assigns at most a /48 to a customer. Undefined for IPv4. */
export function networkOf(clientKey: string): string | undefined {
  const [address = '', bits] = clientKey.split('/')
  return bits === undefined ? undefined : firstBits(ipaddr.IPv6.parse(address), 48)
}

function firstBits({ parts }: ipaddr.IPv6, bits: number): string {
  return `${new ipaddr.IPv6(parts.map((part, at) => (at < bits / 16 ? part : 0)))}/${bits}`
}

/** Node joins the lines of a header with commas; its types allow a list for any header. */
export const headerOf = ({ headers }: IncomingMessage, name: string) => headers[name] as string | undefined

/**
 * Creates a reader that accepts `X-Forwarded-For` from trusted proxies, and no other forwarding header. `onUntrusted`
 * is called if it came from another peer: a proxy is missing in TRUSTED_PROXIES, or the caller forged the header.
 * `onCdn` is called if the client seems to be a CDN. `address` is canonical, and `key` is the limiter's.
 */
export function createClientReader(isTrusted: TrustedProxies, onUntrusted = () => {}, onCdn = () => {}) {
  return (req: IncomingMessage) => {
    const peer = canonical(req.socket.remoteAddress)
    const forwardedFor = headerOf(req, 'x-forwarded-for')
    const address = forwardedFor === undefined ? peer : findClientBehind(peer, forwardedFor, isTrusted)
    if (forwardedFor !== undefined && address === peer && !isTrusted(peer)) onUntrusted()
    // RFC 8586. If the CDN is a trusted proxy, the client is not the last hop.
    if (req.headers['cdn-loop'] !== undefined && (address === peer || forwardedFor?.endsWith(address))) onCdn()
    return { address, key: clientKeyOf(address) }
  }
}

/** Creates the function that returns the client of a connection, or undefined for a proxy, which has many clients. */
export function createPeerKey(isTrusted: TrustedProxies) {
  return (address: string | undefined): string | undefined => {
    const peer = canonical(address)
    return isTrusted(peer) ? undefined : clientKeyOf(peer)
  }
}

/** From `traceparent` (W3C Trace Context §3.2.2.3): 32 hexadecimal digits that connect our log to the caller's. */
export function readTraceId({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' ? /^[\da-f]{2}-(?!0{32})([\da-f]{32})-/.exec(traceparent)?.[1] : undefined
}
