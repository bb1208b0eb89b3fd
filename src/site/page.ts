import { apiRootPath } from '../public-paths.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { readText } from './files.ts'
import { fill, type Values } from './fill.ts'
import { escapeHtml, html } from './html.ts'
import { escapeMarkdown, mailto, telUri } from './markdown.ts'

export interface PageSource {
  path: string
  /** Reads the file below content/, and provides the values of its placeholders. */
  template: () => string
  values: () => Values
}

/** A page as HTML, or as Markdown on request, at its path; and the Markdown at the path plus `.md`. */
export function createPage({ path, template, values }: PageSource, context: DiscoveryContext): Document[] {
  const { baseUrl } = context
  const filled = () => fill(template(), values(), escapeMarkdown).replaceAll('](/', `](${baseUrl}/`)
  const link = (target: string, rel: string, type: string) => `<${baseUrl}${target}>; rel="${rel}"; type="${type}"`
  const links = [
    `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
    link('/openapi.json', 'service-desc', 'application/json'),
    link('/llms.txt', 'service-meta', 'text/plain'),
  ]
  const markdown = {
    contentType: 'text/markdown; charset=utf-8',
    // Anchors only exist in HTML.
    render: () => filled().replace(/ \{#[^}]*\}$/gm, ''),
  }
  return [
    {
      path,
      contentType: 'text/html; charset=utf-8',
      render: () => renderHtml(path, filled(), context),
      readableAnywhere: false,
      headers: {
        'Content-Language': 'en',
        Link: [...links, link(`${path}.md`, 'alternate', 'text/markdown')].join(', '),
      },
      alternatives: [{ mediaType: 'text/markdown', ...markdown }],
    },
    {
      path: `${path}.md`,
      ...markdown,
      readableAnywhere: true,
      headers: { 'Content-Language': 'en', Link: [...links, link(path, 'canonical', 'text/html')].join(', ') },
    },
  ]
}

async function renderHtml(path: string, markdown: string, context: DiscoveryContext): Promise<string> {
  // Loaded with the first page, to keep the start fast.
  const { renderPage } = await import('./render.ts')
  const { title, description, main } = renderPage(markdown)
  const { baseUrl, business } = context
  const tel = telUri(business.phone)
  const section = `/${path.split('/')[1]}`
  const layout = readText('layout.html').replaceAll(
    `href="{{baseUrl}}${section}"`,
    (href) => `${href} aria-current="${path === section ? 'page' : 'true'}"`,
  )
  const values = {
    baseUrl,
    apiRoot: apiRootPath,
    path,
    title,
    description,
    main,
    business: business.name,
    serviceArea: business.serviceArea,
    postalAddress: business.postalAddress,
    phone: tel ? html`<a class="tel" href="${tel}">${business.phone}</a>` : business.phone,
    mailto: mailto(business.email),
    email: business.email,
  }
  return fill(layout, values, escapeHtml)
}
