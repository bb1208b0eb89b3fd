import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { mailto } from './values.ts'

/** `/robots.txt` (RFC 9309): crawlers may read everything. */
export function createRobots({ baseUrl }: DiscoveryContext): Document {
  return {
    path: '/robots.txt',
    contentType: 'text/plain; charset=utf-8',
    render: () => [`# Agents: ${baseUrl}/llms.txt is all that you need.`, 'User-agent: *', 'Allow: /', ''].join('\n'),
    readableAnywhere: true,
  }
}

/** `/.well-known/security.txt` (RFC 9116). */
export function createSecurityTxt({ baseUrl, business, now }: DiscoveryContext): Document {
  const path = '/.well-known/security.txt'
  return {
    path,
    contentType: 'text/plain; charset=utf-8',
    render: () =>
      [
        `Contact: ${mailto(business.email)}`,
        `Expires: ${expiry(now()).toISOString()}`,
        'Preferred-Languages: en',
        `Canonical: ${baseUrl}${path}`,
        `Policy: ${baseUrl}/developers#security`,
        '',
      ].join('\n'),
    readableAnywhere: true,
  }
}

/**
 * Always the first of a month, so that replicas started on different days agree, and at most a year ahead (RFC 9116
 * §2.5.5).
 */
function expiry(nowMs: number): Date {
  const now = new Date(nowMs)
  return new Date(Date.UTC(now.getUTCFullYear() + 1, now.getUTCMonth(), 1))
}

/** `/` redirects to the overview. Its body lists the addresses for programs. */
export function createHome({ baseUrl }: DiscoveryContext): Document {
  return {
    path: '/',
    contentType: 'text/plain; charset=utf-8',
    render: () => `For people: ${baseUrl}/developers\nFor agents: ${baseUrl}/llms.txt\n`,
    readableAnywhere: false,
    headers: {
      Link: [
        `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
        `<${baseUrl}/openapi.json>; rel="service-desc"; type="application/json"`,
        `<${baseUrl}/llms.txt>; rel="service-meta"; type="text/plain"`,
      ].join(', '),
    },
    redirectTo: `${baseUrl}/developers`,
  }
}
