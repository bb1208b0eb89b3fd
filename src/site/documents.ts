import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemCodes } from '../problem/table.ts'
import { fill } from './fill.ts'
import { type Format, html, json, markdown, plainText } from './formats.ts'
import { createValues, type DiscoveryContext } from './values.ts'

/** A document of the public listener. */
export interface Document {
  /** The path below the public origin. */
  path: string
  contentType: string
  /** Returns the text, which is sent as UTF-8. Called once. */
  render: () => string
  /** Whether scripts from any origin may read it: true for machine-readable documents (Fetch, CORS protocol). */
  readableAnywhere: boolean
  /** Additional header fields of every answer, such as `Link`. */
  headers?: Readonly<Record<string, string>>
}

// The build copies both folders beside the bundle.
const generated = import.meta.filename.endsWith('.ts') ? '../gen/site' : 'site'

/** Reads what `npm run generate` made of `content`. Its placeholders still need values. */
function readGenerated(name: string): string {
  return readFileSync(join(import.meta.dirname, generated, name), 'utf8')
}

/** Reads a file that is served as it is, or with values only. */
function readStatic(name: string): string {
  return readFileSync(join(import.meta.dirname, 'static', name), 'utf8')
}

/** The pages for people. */
export const pagePaths: readonly string[] = [
  '/developers',
  '/api-docs',
  '/terms',
  '/privacy',
  '/website-forms',
  '/problems',
  ...problemCodes.map((code) => `/problems/${code}`),
]

const catalogPath = '/.well-known/api-catalog'
const text = 'text/plain; charset=utf-8'

/** The value of `Link` that leads programs to what they can read (RFC 8631, RFC 9727). */
export function discoveryLinks(baseUrl: string): string {
  return [
    `<${baseUrl}${catalogPath}>; rel="api-catalog"`,
    `<${baseUrl}/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${baseUrl}/llms.txt>; rel="service-meta"; type="text/plain"`,
  ].join(', ')
}

/** Everything on the public listener that can only be read, except `GET /api/v1`. */
export function createDocuments(context: DiscoveryContext): Document[] {
  const { baseUrl } = context
  const show = (template: string, format: Format) => fill(template, createValues(context, format), format.escape)
  const showStatic = (name: string, format: Format) => show(readStatic(name), format)
  /** The script of the website forms, with the values that it reads from `deployment`. */
  function showForms(): string {
    const { phone, phoneUri, email, emailUri, wording, wordingVersion } = createValues(context, plainText)
    const values = { baseUrl, phone, phoneUri, email, emailUri, wording, wordingVersion }
    return `(deployment=>{${readGenerated('website-forms.js')}})(${JSON.stringify(values)})\n`
  }
  const forPages = (path: string, contentType: string, render: () => string): Document => {
    return { path, contentType, render, readableAnywhere: false }
  }
  const forPrograms = (path: string, contentType: string, render: () => string): Document => {
    return { path, contentType, render, readableAnywhere: true }
  }

  /** A page as HTML at its path, and as Markdown at the path plus `.md`. */
  function createPage(path: string): Document[] {
    const headers = (other: string) => ({ 'Content-Language': 'en', Link: `${discoveryLinks(baseUrl)}, ${other}` })
    return [
      {
        ...forPages(path, 'text/html; charset=utf-8', () => show(readGenerated(`${path}.html`), html)),
        headers: headers(`<${baseUrl}${path}.md>; rel="alternate"; type="text/markdown"`),
      },
      {
        ...forPrograms(`${path}.md`, 'text/markdown; charset=utf-8', () => show(readGenerated(`${path}.md`), markdown)),
        headers: headers(`<${baseUrl}${path}>; rel="canonical"; type="text/html"`),
      },
    ]
  }

  return [
    {
      // No charset parameter: this type is always UTF-8 (RFC 9264 §4.2).
      ...forPrograms(catalogPath, 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"', () =>
        showStatic('api-catalog.json', json),
      ),
      headers: { Link: `<${baseUrl}${catalogPath}>; rel="api-catalog"` },
    },
    forPrograms('/openapi.json', 'application/json; charset=utf-8', () =>
      JSON.stringify(JSON.parse(show(readGenerated('openapi.json'), json))),
    ),
    forPrograms('/llms.txt', text, () => show(readGenerated('llms.txt'), plainText)),
    forPrograms('/website-forms.js', 'text/javascript; charset=utf-8', showForms),
    ...pagePaths.flatMap(createPage),
    forPrograms('/robots.txt', text, () => showStatic('robots.txt', plainText)),
    forPrograms('/.well-known/security.txt', text, () => showStatic('security.txt', plainText)),
    forPages('/site.css', 'text/css; charset=utf-8', () => readStatic('site.css')),
    forPages('/site.js', 'text/javascript; charset=utf-8', () => readStatic('site.js')),
    forPages('/favicon.svg', 'image/svg+xml', () => readStatic('favicon.svg')),
    // The path that browsers request by default.
    forPages('/favicon.ico', 'image/svg+xml', () => readStatic('favicon.svg')),
  ]
}
