import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemCodes } from '../problem/table.ts'
import { fillTemplate } from '../template.ts'
import { createValues, type DiscoveryContext, html, json, markdown, plainText } from './values.ts'

export type Document = ReturnType<typeof createDocuments>[number]
type Fields = Readonly<Record<string, string>>

// The build copies both folders next to the bundle: hand-written files, and those of `npm run generate`.
const written = 'static'
const generated = import.meta.filename.endsWith('.ts') ? '../gen/site' : 'site'
const readFile = (folder: string, name: string) => readFileSync(join(import.meta.dirname, folder, name), 'utf8')

const writtenPages = ['/developers', '/api-docs', '/terms', '/privacy', '/website-forms', '/problems']

export const pagePaths: readonly string[] = [...writtenPages, ...problemCodes.map((code) => `/problems/${code}`)]

const catalogPath = '/.well-known/api-catalog'
const text = 'text/plain; charset=utf-8'

/** The `Link` header that leads programs to what they can read (RFC 8631, RFC 9727). */
export function discoveryLinks(baseUrl: string): string {
  return [
    `<${baseUrl}${catalogPath}>; rel="api-catalog"`,
    `<${baseUrl}/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${baseUrl}/llms.txt>; rel="service-meta"; type="text/plain"`,
  ].join(', ')
}

/** Everything on the public listener that can only be read, except `GET /api/v1`. */
export function createDocuments(context: DiscoveryContext) {
  const { baseUrl } = context
  const filled = (folder: string, name: string, format = plainText) => {
    return () => fillTemplate(readFile(folder, name), createValues(context, format), format.escape)
  }

  /** The script of the website forms, with the values that it reads from `deployment`. */
  function showForms(): string {
    const { phone, phoneUri, email, emailUri, wording, wordingVersion } = createValues(context, plainText)
    const values = { baseUrl, phone, phoneUri, email, emailUri, wording, wordingVersion }
    return `(deployment=>{${readFile(generated, 'website-forms.js')}})(${JSON.stringify(values)})\n`
  }

  /** Scripts of any origin may read what is machine-readable (Fetch, CORS protocol). */
  const forPrograms = (path: string, contentType: string, render: () => string, headers: Fields = {}) => {
    return { path, contentType, render, headers, readableAnywhere: true }
  }
  const forPages = (...document: Parameters<typeof forPrograms>) => {
    return { ...forPrograms(...document), readableAnywhere: false }
  }

  /** A page as HTML at its path, and as Markdown at the path plus `.md`. */
  function createPage(path: string) {
    const headers = (other: string) => ({ 'Content-Language': 'en', Link: `${discoveryLinks(baseUrl)}, ${other}` })
    const asMarkdown = headers(`<${baseUrl}${path}.md>; rel="alternate"; type="text/markdown"`)
    const asHtml = headers(`<${baseUrl}${path}>; rel="canonical"; type="text/html"`)
    return [
      forPages(path, 'text/html; charset=utf-8', filled(generated, `${path}.html`, html), asMarkdown),
      forPrograms(`${path}.md`, 'text/markdown; charset=utf-8', filled(generated, `${path}.md`, markdown), asHtml),
    ]
  }

  // No charset parameter: this type is always UTF-8 (RFC 9264 §4.2).
  const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
  const toItself = { Link: `<${baseUrl}${catalogPath}>; rel="api-catalog"` }
  const openApi = () => JSON.stringify(JSON.parse(filled(generated, 'openapi.json', json)()))
  return [
    forPrograms(catalogPath, linkset, filled(written, 'api-catalog.json', json), toItself),
    forPrograms('/openapi.json', 'application/json; charset=utf-8', openApi),
    forPrograms('/llms.txt', text, filled(generated, 'llms.txt')),
    forPrograms('/website-forms.js', 'text/javascript; charset=utf-8', showForms),
    ...pagePaths.flatMap(createPage),
    forPrograms('/robots.txt', text, filled(written, 'robots.txt')),
    forPrograms('/.well-known/security.txt', text, filled(written, 'security.txt')),
    forPages('/site.css', 'text/css; charset=utf-8', filled(written, 'site.css')),
    forPages('/site.js', 'text/javascript; charset=utf-8', filled(written, 'site.js')),
    // The second is the path that browsers request by default.
    ...['/favicon.svg', '/favicon.ico'].map((path) => forPages(path, 'image/svg+xml', filled(written, 'favicon.svg'))),
  ]
}
