import { apiRootPath, apiVersion } from '../public-paths.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'

/** `/.well-known/api-catalog` (RFC 9727) as a linkset (RFC 9264 §4.2): the catalog itself first, then the API. */
export function createApiCatalog({ baseUrl }: DiscoveryContext): Document {
  const path = '/.well-known/api-catalog'
  const root = `${baseUrl}${apiRootPath}`
  const linkset = [
    {
      anchor: `${baseUrl}${path}`,
      item: [{ href: root, type: 'application/json', title: `Lead Intake API ${apiVersion}` }],
    },
    {
      anchor: root,
      'service-desc': [{ href: `${baseUrl}/openapi.json`, type: 'application/json', title: 'OpenAPI 3.1 description' }],
      'service-doc': [
        { href: `${baseUrl}/api-docs`, type: 'text/html', hreflang: ['en'], title: 'API reference' },
        { href: `${baseUrl}/developers`, type: 'text/html', hreflang: ['en'], title: 'Overview' },
      ],
      'service-meta': [{ href: `${baseUrl}/llms.txt`, type: 'text/plain', title: 'Summary for agents' }],
      status: [{ href: root, type: 'application/json', title: 'Service status' }],
      'terms-of-service': [{ href: `${baseUrl}/terms`, type: 'text/html', hreflang: ['en'], title: 'Terms' }],
      'privacy-policy': [{ href: `${baseUrl}/privacy`, type: 'text/html', hreflang: ['en'], title: 'Privacy' }],
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
