import { leadsPath } from '../public-paths.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { readText } from './files.ts'
import { fill } from './fill.ts'
import { escapeHtml } from './html.ts'
import { mailto } from './markdown.ts'

/** `/robots.txt` (RFC 9309): crawlers may read everything. */
export function createRobots({ baseUrl }: DiscoveryContext): Document {
  return {
    path: '/robots.txt',
    contentType: 'text/plain; charset=utf-8',
    isBrief: true,
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
    isBrief: true,
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

/** The pages' only style sheet. */
export function createStylesheet(): Document {
  return {
    path: '/site.css',
    contentType: 'text/css; charset=utf-8',
    render: () => readText('style.css'),
    readableAnywhere: false,
  }
}

/** `/website-form.html`: the forms to copy, as plain text. As HTML on this origin, they would submit real leads. */
export function createWebsiteForm({ baseUrl, business, consent: { wording } }: DiscoveryContext): Document {
  const values = {
    baseUrl,
    leadsPath,
    business: business.name,
    phone: business.phone,
    email: business.email,
    wording: wording.text,
    wordingVersion: wording.version,
  }
  return {
    path: '/website-form.html',
    contentType: 'text/plain; charset=utf-8',
    render: () => fill(readText('content/website-form.html'), values, escapeHtml),
    readableAnywhere: true,
  }
}

/** `/` redirects to the overview. Its body lists the addresses for programs. */
export function createHome({ baseUrl }: DiscoveryContext): Document {
  return {
    path: '/',
    contentType: 'text/plain; charset=utf-8',
    isBrief: true,
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
