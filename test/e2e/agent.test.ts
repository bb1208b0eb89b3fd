import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { skipWithoutEngine } from '../support/backends.ts'
import { launchBrowser, overflowOf, skipWithoutBrowser, violationsOf } from '../support/browser.ts'
import { runCaddy } from '../support/caddy.ts'
import { startNginx } from '../support/container.ts'
import { get, post } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { root, startService } from '../support/service.ts'
import { type Body, quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { pageOf, sampleOf } from '../support/website.ts'

// An agent that knows nothing about this project. It has a base URL or the address of the business's website, the
// standards (RFC 9727, OpenAPI, JSON Schema, RFC 9457) and a customer who answers questions. Paths other than
// /.well-known/api-catalog and /llms.txt, fields and codes it takes from what it reads.

type Relations = Record<string, { href: string }[]> & { anchor: string }
// biome-ignore lint/suspicious/noExplicitAny: what an OpenAPI document has
type Description = Record<string, any>

/** The description of the API, by a catalog (RFC 9727). */
async function readCatalog(url: string): Promise<Description> {
  const answer = await fetch(url)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/linkset\+json/)
  const { linkset } = (await answer.json()) as { linkset: Relations[] }
  const api = linkset.flatMap((context) => context.item ?? [])[0]?.href
  return (await get(linkset.find(({ anchor }) => anchor === api)?.['service-desc']?.[0]?.href ?? '')).json
}

/** Where a lead is sent. */
function addressIn({ servers, paths }: Description) {
  const path = Object.keys(paths).find((name) => paths[name].post && !paths[name].post.deprecated) ?? ''
  return { url: `${servers[0].url}${path}`, path }
}

async function readLlmsTxt(url: string): Promise<string> {
  const answer = await fetch(url)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  const [, path = ''] = /^POST (\S+) HTTP/m.exec(await answer.text()) ?? []
  return new URL(path, answer.url).href
}

/** Every way from a website to the address for leads. */
async function findWays(website: string): Promise<Record<string, string>> {
  const home = await fetch(website)
  const html = await home.text()
  const hrefOf = (tag: RegExp) => new URL(tag.exec(html)?.[1] ?? assert.fail(String(tag)), home.url).href
  const [header] = LinkHeader.parse(home.headers.get('link') ?? '').rel('api-catalog')
  return {
    ...(header && { header: addressIn(await readCatalog(new URL(header.uri, home.url).href)).url }),
    'well-known': addressIn(await readCatalog(`${website}/.well-known/api-catalog`)).url,
    'llms.txt': await readLlmsTxt(`${website}/llms.txt`),
    catalog: addressIn(await readCatalog(hrefOf(/<link rel="api-catalog" href="([^"]+)"/))).url,
    description: addressIn((await get(hrefOf(/<link rel="service-desc" href="([^"]+)"/))).json).url,
    alternate: await readLlmsTxt(hrefOf(/<link rel="alternate" href="([^"]+)" type="text\/plain"/)),
    visible: await readLlmsTxt(hrefOf(/<a href="([^"]+)">For AI agents<\/a>/)),
  }
}

/** Every way leads to the service, which takes the lead. */
async function assertFound(website: string, baseUrl: string, expected: string[]): Promise<void> {
  const ways = await findWays(website)
  assert.deepEqual(Object.keys(ways), expected)
  for (const [way, url] of Object.entries(ways)) assert.equal(url, `${baseUrl}/api/v1/leads`, way)
  const stored = await post(ways.catalog ?? '', { ...quote, notes: `Found through ${website}` }, { path: '' })
  assert.equal(stored.status, 201, stored.text)
}

const elsewhere = ['well-known', 'llms.txt', 'catalog', 'description', 'alternate', 'visible']

const stops: (() => unknown)[] = []
after(async () => {
  for (const stop of stops.reverse()) await stop()
})

/** Starts Caddy, and waits for its answer at this address. */
async function startCaddy(file: string, url: string, env?: Record<string, string>): Promise<void> {
  stops.push(runCaddy(file, env).stop)
  await until('Caddy answers', async () => (await fetch(url)).status < 500)
}

/** A static website with what `/website-forms` says, and the lines that it has for a server. */
async function makeWebsite(baseUrl: string, server: string): Promise<{ html: string; redirects: string }> {
  const sample = (title: string) => sampleOf(baseUrl, title)
  const body = `${await sample('html The contact form')}<footer>${await sample('html Into the footer')}</footer>`
  return { html: pageOf(body, await sample('html Into the head of the website')), redirects: await sample(server) }
}

/** Serve a page at `/`, with lines for the server, and return the website's address. */
async function serveByCaddy(html: string, redirects: string): Promise<string> {
  const folder = newFolder()
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site/index.html'), html)
  const url = `http://127.0.0.1:${(await freePorts(1))[0]}`
  const site = `${url} {\nroot * ${join(folder, 'site')}\n${redirects}\nfile_server\n}`
  writeFileSync(join(folder, 'Caddyfile'), `{\nadmin off\n}\n${site}\n`)
  await startCaddy(join(folder, 'Caddyfile'), url)
  return url
}
async function serveByNginx(html: string, redirects: string): Promise<string> {
  const config = `server { listen 8080; root /srv/site; ${redirects} }`
  const nginx = await startNginx({ '/srv/site/index.html': html, '/etc/nginx/conf.d/default.conf': config })
  stops.push(nginx.stop)
  return nginx.url()
}

suite('an agent that knows only a website finds the service and sends a lead', () => {
  test('from the page of one machine, which works for people too', {
    skip: skipWithout('caddy') || skipWithoutBrowser,
  }, async () => {
    const [port, http = '', https = ''] = (await freePorts(3)).map(String)
    const url = `http://127.0.0.1:${port}`
    await using service = await startService({ BASE_URL: url })
    const env = { DOMAIN: url, HTTP_PORT: http, HTTPS_PORT: https, SITE: join(root, 'deploy/vm/example-site') }
    await startCaddy('deploy/vm/Caddyfile', url, { ...env, SERVICE: service.url.replace('http://', '') })
    await assertFound(url, url, ['header', ...elsewhere])
    assert.equal((await fetch(`${url}/api/v1`)).headers.get('link')?.match(/rel="api-catalog"/g)?.length, 1)

    const browser = await launchBrowser()
    stops.push(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 320, height: 800 } })
    await page.goto(url)
    await page.getByRole('form', { name: 'Write to us' }).waitFor()
    assert.deepEqual([await violationsOf(page), await overflowOf(page)], [[], 0])
  })

  for (const [server, title, skip, serve] of [
    ['Caddy', 'caddy Caddy', skipWithout('caddy'), serveByCaddy],
    ['nginx', 'nginx nginx', skipWithoutEngine, serveByNginx],
  ] as const)
    test(`from a static website behind ${server}, with the lines of /website-forms`, { skip }, async () => {
      await using service = await startService()
      const { html, redirects } = await makeWebsite(service.url, title)
      await assertFound(await serve(html, redirects), service.url, elsewhere)
    })
})

type Problem = Record<'type' | 'code' | 'hint', string> & {
  retryable: boolean
  errors?: { pointer: string; hint: string }[]
}

/** The customer's answers. */
const customer: Body = { ...quote, bedrooms: 'three' }

/** From the base URL alone: the catalog, through its links the API description, and in it where a lead is sent. */
async function discover(baseUrl: string) {
  const home = await fetch(baseUrl, { method: 'HEAD', redirect: 'manual' })
  const [catalog] = LinkHeader.parse(home.headers.get('link') ?? '').rel('api-catalog')
  assert(catalog, 'the home names no catalog')
  const description = await readCatalog(catalog.uri)
  const { url, path } = addressIn(description)
  const at = (ref: string) => {
    const names = ref.split('/').slice(1)
    return names.reduce((value, name) => value[name] as Description, description)
  }
  const { schema } = at(description.paths[path].post.requestBody.$ref).content['application/json']
  const lead = at(schema.$ref)
  assert.match(lead.description, /quote/)
  // Without a kind, the condition does not hold.
  return { url, names: [...lead.required, ...lead.else.required] as string[] }
}

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  const { status, json } = await post(url, body, { path: '', client: '198.18.100.1', headers })
  return { status, answer: json as Body & Problem }
}

/** Corrects a lead by `errors` alone: moves unknown members to where the hint says, and asks for the other values. */
function repair(lead: Body, { errors = [] }: Problem, ask: (name: string, hint: string) => unknown): Body {
  const repaired = { ...lead }
  for (const { pointer, hint } of errors) {
    const name = pointer.slice(2)
    if (/^Unknown field/.test(hint)) {
      const place = /field or `(\w+)`/.exec(hint)?.[1]
      if (place) repaired[place] = [repaired[place], repaired[name]].filter(Boolean).join('\n')
      delete repaired[name]
    } else repaired[name] = ask(name, hint)
  }
  return repaired
}

/** Corrects headers by the hint: "Remove the … headers" names some, "the header Name: value" is one to send. */
function repairHeaders(headers: Record<string, string>, { hint }: Problem): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !/^Remove/.test(hint) || !hint.includes(name))
  const [, name, value] = /(\w+-\w+): ([\w/]+)/.exec(hint) ?? []
  return { ...Object.fromEntries(kept), ...(name && value && { [name]: value }) }
}

test('an agent that has only the base URL finds the API, builds a lead from the schema, and repairs it from the problems until it is stored', async () => {
  await using service = await startService()
  const { url, names } = await discover(service.url)
  // The customer said "three", forgot to agree, and named the stairs, which no field takes. Its headers are wrong.
  const answers: Body = { ...customer, communicationsConsent: false }
  let lead: Body = { ...Object.fromEntries(names.map((name) => [name, answers[name]])), stairs: 'They have carpet.' }
  let headers: Record<string, string> = { Authorization: 'Bearer x', 'Content-Type': 'text/plain' }
  const met: string[] = []
  const asked: string[] = []
  const ask = (name: string, hint: string) => {
    asked.push(name)
    if (name === 'communicationsConsent') return true
    const example = /"([^"]+)"/.exec(hint)?.[1]
    return name === 'bedrooms' && example ? example : customer[name]
  }
  let attempt = await send(url, lead, headers)
  while (attempt.status >= 400 && met.length < 5) {
    met.push(attempt.answer.code)
    assert.equal(attempt.answer.retryable, false)
    assert.equal((await fetch(attempt.answer.type)).status, 200)
    if (attempt.answer.errors) lead = repair(lead, attempt.answer, ask)
    else headers = repairHeaders(headers, attempt.answer)
    attempt = await send(url, lead, headers)
  }
  assert.deepEqual(met, ['credentials_not_accepted', 'unsupported_media_type', 'validation_failed'])
  assert.deepEqual(asked, ['communicationsConsent', 'bedrooms'])
  assert.equal(attempt.status, 201)
  assert.equal(lead.notes, `${quote.notes}\nThey have carpet.`)
})

test('an agent succeeds with llms.txt alone: its example is stored with the customer’s own details', async () => {
  await using service = await startService()
  const text = await (await fetch(`${service.url}/llms.txt`)).text()
  const [, path = '', json = ''] = /```http\nPOST (\S+) HTTP\/1\.1\n[\s\S]*?\n\n([\s\S]*?)```/.exec(text) ?? []
  const fields = Object.keys(JSON.parse(json))
  const lead = Object.fromEntries(fields.map((name) => [name, customer[name]]))
  const { status } = await send(service.url + path, { ...lead, bedrooms: '3', notes: 'A garden.' })
  assert.equal(status, 201)
  const refused = await send(service.url + path, JSON.parse(json))
  assert.equal(refused.status, 422, 'the example as it stands')
  const { consent } = (await (await fetch(`${service.url}/api/v1`)).json()) as { consent: unknown }
  assert.deepEqual(refused.answer.consent, consent, 'the wording comes with the error')
})
