import { mailto } from './content/mail.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'

/** `/robots.txt` (RFC 9309): everything may be read. */
export function createRobots({ baseUrl }: DiscoveryContext): Document {
  return {
    path: '/robots.txt',
    contentType: 'text/plain; charset=utf-8',
    render: () =>
      [
        `# Agents: ${baseUrl}/llms.txt has the rules; ${baseUrl}/.well-known/api-catalog lists every resource.`,
        'User-agent: *',
        'Allow: /',
        '',
      ].join('\n'),
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

/** The first of the month, so that replicas started on different days agree; at most a year ahead (RFC 9116 §2.5.5). */
function expiry(nowMs: number): Date {
  const now = new Date(nowMs)
  return new Date(Date.UTC(now.getUTCFullYear() + 1, now.getUTCMonth(), 1))
}

/** `/` leads to the overview. */
export function createHome({ baseUrl }: DiscoveryContext): Document {
  return {
    path: '/',
    contentType: 'text/plain; charset=utf-8',
    render: () => `${baseUrl}/developers\n`,
    readableAnywhere: false,
    headers: {
      Link: `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog", <${baseUrl}/openapi.json>; rel="service-desc"; type="application/json"`,
    },
    redirectTo: `${baseUrl}/developers`,
  }
}
