import { type Html, html } from '../content/html.ts'
import { mailto } from '../content/mail.ts'
import type { Page } from '../content/page.ts'
import { renderMain } from '../content/render-html.ts'
import { renderMarkdown } from '../content/render-markdown.ts'
import type { DiscoveryContext } from '../context.ts'
import type { Document } from '../document.ts'
import { iconPath } from './icon.ts'
import { stylesheetPath } from './stylesheet.ts'

const mainNavigation = [
  { href: '/developers', text: 'Overview' },
  { href: '/api-docs', text: 'Reference' },
  { href: '/problems', text: 'Problems' },
  { href: '/terms', text: 'Terms' },
  { href: '/privacy', text: 'Privacy' },
]

const machineReadable = [
  { href: '/openapi.json', text: 'OpenAPI' },
  { href: '/llms.txt', text: 'llms.txt' },
  { href: '/.well-known/api-catalog', text: 'API catalog' },
  { href: '/api/v1', text: 'Service status' },
]

/** A page as a document: HTML, and Markdown for those who ask for it. */
export function createPageDocument(path: string, createPage: () => Page, context: DiscoveryContext): Document {
  const { baseUrl } = context
  return {
    path,
    contentType: 'text/html; charset=utf-8',
    render: () => renderHtml(path, createPage(), context).source,
    readableAnywhere: false,
    headers: {
      'Content-Language': 'en',
      Link: [
        `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
        `<${baseUrl}/openapi.json>; rel="service-desc"; type="application/json"`,
        `<${baseUrl}${path}>; rel="alternate"; type="text/markdown"`,
      ].join(', '),
    },
    alternatives: [
      {
        mediaType: 'text/markdown',
        contentType: 'text/markdown; charset=utf-8',
        render: () => renderMarkdown(createPage(), baseUrl),
      },
    ],
  }
}

function renderHtml(path: string, page: Page, { baseUrl, business }: DiscoveryContext): Html {
  const { title, description, sections } = page
  const current = (href: string) => {
    if (href === path) return html` aria-current="page"`
    return path.startsWith(`${href}/`) ? html` aria-current="true"` : undefined
  }
  const links = (items: typeof mainNavigation) =>
    items.map(({ href, text }) => html`\n<li><a href="${baseUrl}${href}"${current(href)}>${text}</a></li>`)

  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} – ${business.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${stylesheetPath}">
<link rel="icon" href="${iconPath}" type="image/svg+xml">
<link rel="canonical" href="${baseUrl}${path}">
<link rel="alternate" type="text/markdown" href="${baseUrl}${path}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site">
<a class="brand" href="${baseUrl}/developers"><img src="${iconPath}" alt="" width="28" height="28"><span>${business.name} <span class="product">Lead Intake API</span></span></a>
<nav aria-label="Site"><ul>${links(mainNavigation)}
</ul></nav>
</header>
<div class="layout">
${tableOfContents(sections)}<main id="main" tabindex="-1">
${renderMain(page, baseUrl)}
</main>
</div>
<footer class="site">
<div><p><strong>${business.name}</strong></p><p>${business.serviceArea}</p><p>${business.phone}<br><a href="${mailto(business.email)}">${business.email}</a></p></div>
<nav aria-label="For people"><h2>For people</h2><ul>${links(mainNavigation)}
</ul></nav>
<nav aria-label="For machines"><h2>For machines</h2><ul>${links(machineReadable)}
</ul></nav>
</footer>
</body>
</html>
`
}

function tableOfContents(sections: Page['sections']): Html {
  const entries = (items: Page['sections']): Html => html`<ul>${items.map(
    ({ id, title, sections: inner }) =>
      html`\n<li><a href="#${id}">${title}</a>${inner ? entries(inner) : undefined}</li>`,
  )}
</ul>`
  return html`<nav class="toc" aria-labelledby="toc"><h2 id="toc">On this page</h2>${entries(sections)}</nav>
`
}
