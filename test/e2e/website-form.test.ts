import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { freePorts, type Service, startService } from '../support/service.ts'

const form = readFileSync(join(import.meta.dirname, '../../docs/website-form.html'), 'utf8')

/** The website of the business: the form as it is kept in docs/, pointed at the service under test. */
async function serveWebsite(endpoint: () => string): Promise<{ origin: string; server: Server }> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(form.replace(/data-endpoint="[^"]+"/, `data-endpoint="${endpoint()}"`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

const customer = {
  Name: 'Pat Example',
  Phone: '(202) 555-0123',
  'E-mail': 'pat@example.com',
  Bedrooms: '3',
  Bathrooms: '2.5',
  'Kind of cleaning': 'Deep clean',
  'About your home': 'Two cats.',
}

suite('the website form in Chromium', { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  let allowed: Awaited<ReturnType<typeof serveWebsite>>
  let other: Awaited<ReturnType<typeof serveWebsite>>
  let service: Service
  let page: Page
  before(async () => {
    const [port] = await freePorts(1)
    const endpoint = () => `http://127.0.0.1:${port}/api/leads`
    allowed = await serveWebsite(endpoint)
    other = await serveWebsite(endpoint)
    // The browser is one client; the tests of errors need more attempts than the usual limit has.
    service = await startService({
      PORT: String(port),
      CORS_ORIGINS: allowed.origin,
      RATE_LIMIT: '6',
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    })
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 390, height: 900 } })
  })
  after(async () => {
    await browser.close()
    await service.stop()
    allowed.server.close()
    other.server.close()
  })

  async function fill(changes: Partial<Record<keyof typeof customer, string>> = {}): Promise<void> {
    for (const [label, value] of Object.entries({ ...customer, ...changes }))
      await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('checkbox').check()
  }
  const submit = () => page.getByRole('button', { name: 'Ask for a quote' }).click()
  const message = () => page.getByRole('alert')
  const answered = () => page.waitForResponse((response) => response.request().method() === 'POST')

  test('is accessible, on a phone too, and sends nothing before the customer agreed', async () => {
    await page.goto(allowed.origin)
    await page.evaluate(axe.source)
    const violations = await page.evaluate<unknown[]>(
      'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
    )
    assert.deepEqual(violations, [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++
    })
    await fill()
    await page.getByRole('checkbox').uncheck()
    await submit()
    assert.equal(sent, 0)
    assert.equal(await page.evaluate('document.activeElement.name'), 'communicationsConsent')
  })

  test('shows each fault beside its field, and takes it away when it is corrected', async () => {
    await page.goto(allowed.origin)
    await fill({ Phone: '555', Bedrooms: 'three' })
    const [response] = await Promise.all([answered(), submit()])
    assert.equal(response.status(), 422)
    assert.match(response.headers().deprecation ?? '', /^@\d+$/)
    await message().getByText('Please correct the fields').waitFor()
    const phone = page.getByLabel('Phone', { exact: true })
    assert.equal(await phone.getAttribute('aria-invalid'), 'true')
    assert.equal(await page.locator('#quote-phone-fault').textContent(), 'Phone must be a 10-digit U.S. phone number.')
    assert.equal(
      await page.locator('#quote-bedrooms-fault').textContent(),
      'Bedrooms must be a count from 0 to 99 written as text.',
    )
    assert.equal(await page.locator('#quote-email-fault').textContent(), '')
    assert.equal(await phone.inputValue(), '555', 'what the customer typed is kept')

    await fill()
    const [stored] = await Promise.all([answered(), submit()])
    assert.equal(stored.status(), 201)
    await message().getByText('Thank you.').waitFor()
    assert.equal(await page.locator('[aria-invalid]').count(), 0)
    assert(!(await page.getByRole('button').isVisible()))
  })

  test('sends the consent with its time, the page without its query, and one key for one request', async () => {
    await page.goto(`${allowed.origin}/quote?utm_source=secret#top`)
    await fill({ 'About your home': 'A garden.' })
    const request = page.waitForRequest((one) => one.method() === 'POST')
    await Promise.all([answered(), submit()])
    const lead = (await request).postDataJSON()
    assert.equal(lead.communicationsConsent, true)
    assert(Math.abs(Date.parse(lead.consentTimestamp) - Date.now()) < 60_000)
    assert.equal(lead.pageUrl, `${allowed.origin}/quote`)
    assert.match((await request).headers()['idempotency-key'] ?? '', /^"[0-9a-f]{32}"$/)
  })

  test('cannot read the answer from an origin that is not allowed, and says how else to ask', async () => {
    await page.goto(other.origin)
    await fill()
    const errors: string[] = []
    page.on('console', (entry) => errors.push(entry.text()))
    await submit()
    await message().getByText('We could not be reached').waitFor()
    assert.match((await message().textContent()) ?? '', /Please call/)
    assert(
      errors.some((text) => /blocked by CORS policy/.test(text)),
      errors.join('\n'),
    )
  })

  test('says how long to wait when there were too many requests, and holds the button back', async () => {
    await page.goto(allowed.origin)
    await fill({ Phone: '555' })
    let status = 422
    let wait = ''
    for (let count = 0; count < 8 && status === 422; count++) {
      const [response] = await Promise.all([answered(), submit()])
      status = response.status()
      wait = response.headers()['retry-after'] ?? ''
      await message().getByText(/\S/).waitFor()
    }
    assert.equal(status, 429)
    assert.match(wait, /^\d+$/)
    await message().getByText(`try again in ${wait} seconds`).waitFor()
    assert(await page.getByRole('button').isDisabled())
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), customer.Name)
  })

  test('says what to do without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(allowed.origin)
    assert(await plain.locator('noscript p', { hasText: 'JavaScript' }).isVisible())
    await context.close()
  })
})
