import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemCodes } from '../problem/table.ts'
import { createApiCatalog, createHome, createRobots, createSecurityTxt } from './courtesies.ts'
import type { DiscoveryContext, Document } from './document.ts'
import { fill, type Values } from './fill.ts'
import { type Format, html, json, markdown, plainText } from './formats.ts'
import { createValues } from './values.ts'

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

/** Everything on the public listener that can only be read, except the API's own description of its status. */
export function createDocuments(context: DiscoveryContext): Document[] {
  const values = (format: Format): Values => ({ ...createValues(context, format), ...formValues(format) })
  const show = (template: string, format: Format) => fill(template, values(format), format.escape)
  const forms = () => fill(readStatic('website-form.html'), createValues(context, html), html.escape)
  /** What a website copies, and the same without its style and script, which cannot send anything. */
  function formValues(format: Format): Values {
    const [source = ''] = /<!-- forms: begin -->[\s\S]*<!-- forms: end -->/.exec(forms()) ?? []
    const preview = source.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    return {
      formsSource: format.verbatim(source),
      formsPreview: format === html ? { source: `<div class="preview" inert>${preview}</div>` } : '',
    }
  }
  const asIs = (path: string, contentType: string, name = path.slice(1)): Document => ({
    path,
    contentType,
    render: () => readStatic(name),
    readableAnywhere: false,
  })
  return [
    createHome(context),
    createApiCatalog(context),
    {
      path: '/openapi.json',
      contentType: 'application/json; charset=utf-8',
      // Patterns contain invisible characters. Written as ASCII, they survive every editor and log.
      render: () =>
        JSON.stringify(JSON.parse(show(readGenerated('openapi.json'), json))).replace(/[^\x20-\x7e]/g, escapeCharacter),
      readableAnywhere: true,
    },
    {
      path: '/llms.txt',
      contentType: 'text/plain; charset=utf-8',
      render: () => show(readGenerated('llms.txt'), plainText),
      readableAnywhere: true,
    },
    {
      path: '/website-form.html',
      // As HTML on this origin, the forms would submit real leads.
      contentType: 'text/plain; charset=utf-8',
      render: forms,
      readableAnywhere: true,
    },
    {
      path: '/website-form.css',
      contentType: 'text/css; charset=utf-8',
      render: () => /<style>\n( +\/\*[\s\S]*?)<\/style>/.exec(readStatic('website-form.html'))?.[1] ?? '',
      readableAnywhere: false,
    },
    ...pagePaths.flatMap((path) => createPage(path, context.baseUrl, show)),
    createRobots(context),
    createSecurityTxt(context),
    asIs('/site.css', 'text/css; charset=utf-8'),
    asIs('/site.js', 'text/javascript; charset=utf-8'),
    asIs('/favicon.svg', 'image/svg+xml'),
    // The path that browsers request by default.
    asIs('/favicon.ico', 'image/svg+xml', 'favicon.svg'),
  ]
}

/** A page as HTML at its path, and as Markdown at the path plus `.md`. */
function createPage(path: string, baseUrl: string, show: (template: string, format: Format) => string): Document[] {
  const link = (target: string, rel: string, type: string) => `<${baseUrl}${target}>; rel="${rel}"; type="${type}"`
  const headers = (other: string) => ({
    'Content-Language': 'en',
    Link: [
      `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
      link('/openapi.json', 'service-desc', 'application/json'),
      link('/llms.txt', 'service-meta', 'text/plain'),
      other,
    ].join(', '),
  })
  return [
    {
      path,
      contentType: 'text/html; charset=utf-8',
      render: () => show(readGenerated(`${path}.html`), html),
      readableAnywhere: false,
      headers: headers(link(`${path}.md`, 'alternate', 'text/markdown')),
    },
    {
      path: `${path}.md`,
      contentType: 'text/markdown; charset=utf-8',
      render: () => show(readGenerated(`${path}.md`), markdown),
      readableAnywhere: true,
      headers: headers(link(path, 'canonical', 'text/html')),
    },
  ]
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
