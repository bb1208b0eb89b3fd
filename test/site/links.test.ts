import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { leadPaths } from '../../src/public-paths.ts'
import { type Answer, get } from '../support/http.ts'
import { startService } from '../support/service.ts'

const publicOrigin = 'https://leads.example.org'
/** Other origins that are named: examples of a caller's page, a profile, a namespace. */
const named = ['https://www.example.com', 'https://example.com', 'https://www.rfc-editor.org', 'http://www.w3.org']

const service = await startService({ BASE_URL: publicOrigin, CORS_ORIGINS: 'https://www.example.com' })
after(() => service.stop())

/** Every URL that an answer links to, unmodified, but no phone number or e-mail address. */
function linksOf({ headers, text }: Answer): string[] {
  const found = LinkHeader.parse(headers.get('link') ?? '').refs.map(({ uri }) => uri)
  const location = headers.get('location')
  if (location) found.push(location)
  const type = headers.get('content-type') ?? ''
  const all = (pattern: RegExp) => Array.from(text.matchAll(pattern), (match) => match[1] ?? '')
  if (type.startsWith('text/html')) found.push(...all(/\s(?:href|src)="([^"]+)"/g))
  if (type.startsWith('text/markdown') || type.startsWith('text/plain')) found.push(...all(/\]\(([^)\s]+)\)/g))
  if (/json/.test(type)) found.push(...all(/"(https?:\/\/[^"\\]+)"/g).filter((url) => url.startsWith(publicOrigin)))
  if (type.startsWith('text/plain')) found.push(...all(/^(?:Canonical|Policy): (.+)$/gm))
  return found.filter((link) => !/^(?:mailto|tel):/.test(link))
}

/** The anchors of an HTML page, and those that readers of Markdown make of its headings. */
function anchorsOf({ headers, text }: Answer): string[] {
  const isMarkdown = headers.get('content-type')?.startsWith('text/markdown')
  if (!isMarkdown) return Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id)
  const headings = text.toLowerCase().matchAll(/^#+ (.*)$/gm)
  return Array.from(headings, ([, words = '']) => words.replace(/[^a-z0-9 -]/g, '').replaceAll(' ', '-'))
}

/** Follows all links from a path. The Host header is a proxy's name. */
async function walk(start: string): Promise<Map<string, Answer>> {
  const seen = new Map<string, Answer>()
  const queue = [start]
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(path)) continue
    const hosts = { Host: 'internal.proxy.example', 'X-Forwarded-Host': 'evil.example' }
    const answer = await get(service.url + path, hosts)
    seen.set(path, answer)
    for (const link of linksOf(answer)) {
      const { origin, pathname } = new URL(link, publicOrigin + path)
      assert.equal(origin, publicOrigin, `${path} leads to ${link}`)
      queue.push(pathname)
    }
  }
  return seen
}

suite('the links of all documents', () => {
  for (const start of ['/.well-known/api-catalog', '/']) {
    test(`from ${start}: no dead link, every anchor exists, and no foreign origin but in examples, whatever Host says`, async () => {
      const seen = await walk(start)
      assert(seen.size >= 30, `${seen.size} documents`)
      // The `Link` header of the deprecated alias leads there.
      assert(seen.get('/api-docs')?.text.includes(' id="deprecation"'))
      for (const [path, answer] of seen) {
        if (leadPaths.some((one) => one.path === path)) assert.equal(answer.status, 405)
        else assert([200, 302].includes(answer.status), `${path}: ${answer.status}`)
        const all = answer.text + JSON.stringify([...answer.headers])
        assert.doesNotMatch(all, /internal\.proxy|evil\.example|127\.0\.0\.1|localhost:/, path)
        for (const [url] of all.matchAll(/https?:\/\/[a-z0-9.-]+/gi))
          assert(url === publicOrigin || named.includes(url), `${path} names ${url}`)
        for (const link of linksOf(answer)) {
          const { pathname, hash } = new URL(link, publicOrigin + path)
          const target = seen.get(pathname)
          if (hash && target) assert(anchorsOf(target).includes(hash.slice(1)), `${path} leads to ${link}`)
        }
      }
    })
  }
})
