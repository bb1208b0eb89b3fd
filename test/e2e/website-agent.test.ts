import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { GenericContainer, Wait } from 'testcontainers'
import { skipWithoutEngine } from '../support/backends.ts'
import { launchBrowser, overflowOf, skipWithoutBrowser, violationsOf } from '../support/browser.ts'
import { runCaddy } from '../support/caddy.ts'
import { startContainer } from '../support/container.ts'
import { newFolder } from '../support/folder.ts'
import { get, post } from '../support/http.ts'
import { freePorts } from '../support/ports.ts'
import { root } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { type Body, quote } from '../support/submissions.ts'
import { skipWithout } from '../support/tools.ts'
import { until } from '../support/until.ts'
import { pageOf, sampleOf } from '../support/website.ts'

// An agent that knows only the address of the business's website. Paths other than /.well-known/api-catalog and
// /llms.txt it takes from what it reads.

type Relations = Record<string, { href: string }[]> & { anchor: string }

/** Where a lead is sent, by the catalog. */
async function readCatalog(url: string): Promise<string> {
  const answer = await fetch(url)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/linkset\+json/)
  const { linkset } = (await answer.json()) as { linkset: Relations[] }
  const api = linkset.flatMap((context) => context.item ?? [])[0]?.href
  return readDescription(linkset.find(({ anchor }) => anchor === api)?.['service-desc']?.[0]?.href ?? '')
}

async function readDescription(url: string): Promise<string> {
  const { servers, paths } = (await get(url)).json as { servers: { url: string }[]; paths: Record<string, Body> }
  const path = Object.keys(paths).find((name) => paths[name]?.post && !(paths[name].post as Body).deprecated)
  return `${servers[0]?.url}${path}`
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
    ...(header && { header: await readCatalog(new URL(header.uri, home.url).href) }),
    'well-known': await readCatalog(`${website}/.well-known/api-catalog`),
    'llms.txt': await readLlmsTxt(`${website}/llms.txt`),
    catalog: await readCatalog(hrefOf(/<link rel="api-catalog" href="([^"]+)"/)),
    description: await readDescription(hrefOf(/<link rel="service-desc" href="([^"]+)"/)),
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

suite('an agent that knows only a website finds the service and sends a lead', () => {
  test('from the page of one machine, which works for people too', {
    skip: skipWithout('caddy') || skipWithoutBrowser,
  }, async () => {
    const [port, http, https] = (await freePorts(3)).map(String)
    const url = `http://127.0.0.1:${port}`
    await using service = await startService({ BASE_URL: url })
    const env = {
      DOMAIN: url,
      HTTP_PORT: http ?? '',
      HTTPS_PORT: https ?? '',
      SITE: join(root, 'deploy/vm/example-site'),
    }
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

  test('from a static website behind Caddy, with the lines of /website-forms', {
    skip: skipWithout('caddy'),
  }, async () => {
    await using service = await startService()
    const { html, redirects } = await makeWebsite(service.url, 'caddy Caddy')
    const folder = newFolder()
    mkdirSync(join(folder, 'site'))
    writeFileSync(join(folder, 'site/index.html'), html)
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{\nadmin off\n}\n${url} {\nroot * ${join(folder, 'site')}\n${redirects}\nfile_server\n}\n`,
    )
    await startCaddy(join(folder, 'Caddyfile'), url)
    await assertFound(url, service.url, elsewhere)
  })

  test('from a static website behind nginx, with the lines of /website-forms', {
    skip: skipWithoutEngine,
  }, async () => {
    await using service = await startService()
    const { html, redirects } = await makeWebsite(service.url, 'nginx nginx')
    const nginx = await startContainer(() =>
      new GenericContainer(process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm')
        .withCopyContentToContainer([
          { content: html, target: '/srv/site/index.html' },
          { content: `server { listen 8080; root /srv/site; ${redirects} }`, target: '/etc/nginx/conf.d/default.conf' },
        ])
        .withExposedPorts(8080)
        .withWaitStrategy(Wait.forHttp('/', 8080)),
    )
    stops.push(() => nginx.stop())
    await assertFound(`http://${nginx.getHost()}:${nginx.getMappedPort(8080)}`, service.url, elsewhere)
  })
})
