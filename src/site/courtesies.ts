import { apiRootPath, apiVersion } from '../public-paths.ts'
import type { DiscoveryContext, Document } from './document.ts'
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

/** `/.well-known/api-catalog` (RFC 9727) as a linkset (RFC 9264 §4.2): the catalog itself first, then the API. */
export function createApiCatalog({ baseUrl, business }: DiscoveryContext): Document {
  const path = '/.well-known/api-catalog'
  const root = `${baseUrl}${apiRootPath}`
  const linkset = [
    {
      anchor: `${baseUrl}${path}`,
      item: [
        {
          href: root,
          type: 'application/json',
          title: `Lead Intake API ${apiVersion}: takes quote requests and contact messages for ${business.name}`,
        },
      ],
    },
    {
      anchor: root,
      'service-desc': [
        {
          href: `${baseUrl}/openapi.json`,
          type: 'application/json',
          title: 'OpenAPI 3.1: fields, answers and errors, for tools',
        },
      ],
      'service-doc': [
        {
          href: `${baseUrl}/api-docs`,
          type: 'text/html',
          hreflang: ['en'],
          title: 'Reference: fields, errors and samples',
        },
        {
          href: `${baseUrl}/developers`,
          type: 'text/html',
          hreflang: ['en'],
          title: 'Overview for developers and website owners',
        },
      ],
      'service-meta': [
        {
          href: `${baseUrl}/llms.txt`,
          type: 'text/plain',
          title: 'All that an agent needs to send a lead: read this first',
        },
      ],
      status: [
        { href: root, type: 'application/json', title: 'Whether leads are accepted now; limits and consent wording' },
      ],
      'terms-of-service': [
        {
          href: `${baseUrl}/terms`,
          type: 'text/html',
          hreflang: ['en'],
          title: 'Terms: who may be submitted, and the consent wording',
        },
      ],
      'privacy-policy': [
        {
          href: `${baseUrl}/privacy`,
          type: 'text/html',
          hreflang: ['en'],
          title: 'Privacy: what is kept, and for how long',
        },
      ],
    },
  ]
  return {
    path,
    // No charset parameter: this type is always UTF-8 (RFC 9264 §4.2).
    contentType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    render: () => JSON.stringify({ linkset }, null, 2),
    readableAnywhere: true,
    headers: { Link: `<${baseUrl}${path}>; rel="api-catalog"` },
  }
}
