import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { freePorts } from '../support/ports.ts'
import { type Service, startService } from '../support/service.ts'

/** A website that has copied the forms: what it serves at each path, with which Content-Security-Policy. */
interface Website {
  origin: string
  server: Server
  files: Record<string, string>
  policy?: string
}

async function openWebsite(): Promise<Website> {
  const website: Website = { origin: '', files: {}, server: createServer() }
  website.server.on('request', ({ url = '' }, response) => {
    const path = url.replace(/\?.*/, '')
    const type = path.endsWith('.js')
      ? 'text/javascript'
      : path.endsWith('.css')
        ? 'text/css'
        : 'text/html; charset=utf-8'
    response.setHeader('Content-Type', type)
    if (website.policy) response.setHeader('Content-Security-Policy', website.policy)
    response.end(website.files[path] ?? website.files['/'])
  })
  website.server.listen(0, '127.0.0.1')
  await once(website.server, 'listening')
  website.origin = `http://127.0.0.1:${(website.server.address() as AddressInfo).port}`
  return website
}

const request = {
  Name: 'Pat Example',
  Phone: '(202) 555-0123',
  'E-mail': 'pat@example.com',
  Bedrooms: '3',
  Bathrooms: '2.5',
  'About your home': 'Two cats.',
}
const contact = {
  'Your name': 'Pat Example',
  'Your phone': '202-555-0123',
  'Your e-mail': 'pat@example.com',
  'What is it about?': 'Rescheduling',
  Message: 'Could you come on Thursday?',
}

suite('the website forms in Chromium', { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  let allowed: Website
  let other: Website
  let service: Service
  let page: Page
  let sent: Record<string, unknown>[]
  before(async () => {
    const [port] = await freePorts(1)
    allowed = await openWebsite()
    other = await openWebsite()
    // The browser is one client, and these tests need more attempts than the default limit.
    service = await startService({
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      CORS_ORIGINS: allowed.origin,
      RATE_LIMIT: '11',
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    })
    const published = await fetch(`${service.url}/website-form.html`)
    assert.equal(published.headers.get('content-type'), 'text/plain; charset=utf-8')
    const form = await published.text()
    allowed.files = { '/': form }
    other.files = { '/': form }
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.stop()
    allowed.server.close()
    other.server.close()
  })

  /** Opens a page with a form, and waits as long as a person would at least take. */
  async function open(url: string, clock: Parameters<Page['clock']['install']>[0] = {}): Promise<void> {
    page = await browser.newPage({ viewport: { width: 390, height: 900 } })
    page.setDefaultTimeout(10_000)
    sent = []
    page.on('request', (one) => {
      if (one.method() === 'POST')
        sent.push({ url: one.url(), ...one.postDataJSON(), key: one.headers()['idempotency-key'] })
    })
    await page.clock.install(clock)
    await page.goto(url)
    await page.clock.runFor(4_000)
  }
  async function fill(values: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value)
  }
  async function fillQuote(changes: Record<string, string> = {}): Promise<void> {
    await fill({ ...request, ...changes })
    await page.getByLabel('Kind of cleaning').selectOption('Deep clean')
    await page.getByRole('checkbox').check()
  }
  const submit = () => page.getByRole('button', { name: 'Ask for a quote' }).click()
  const message = (text: string) => page.getByRole('alert').getByText(text)
  const answered = () => page.waitForResponse((response) => response.request().method() === 'POST')

  test('are accessible on a phone, and send nothing before the customer agrees', async () => {
    await open(allowed.origin)
    await page.evaluate(axe.source)
    const violations = await page.evaluate<unknown[]>(
      'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
    )
    assert.deepEqual(violations, [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
    await fillQuote()
    await page.getByRole('checkbox').uncheck()
    await submit()
    await page.getByText('We need your yes to this before we can contact you.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'communicationsConsent')
    assert.deepEqual(sent, [])
    await page.close()
  })

  test('show errors in plain words beside each field, and keep what was typed', async () => {
    await open(allowed.origin)
    await fillQuote({ Phone: '555', Bedrooms: 'three' })
    const [response] = await Promise.all([answered(), submit()])
    assert.equal(response.status(), 422)
    await message('Please look at the fields').waitFor()
    const phone = page.getByLabel('Phone', { exact: true })
    assert.equal(await phone.getAttribute('aria-invalid'), 'true')
    assert.match((await page.locator('#quote-phone-fault').textContent()) ?? '', /^Which phone number\?/)
    assert.equal(await page.locator('#quote-bedrooms-fault').textContent(), 'How many bedrooms? For example 3')
    assert.equal(await page.locator('#quote-email-fault').textContent(), '')
    assert.equal(await phone.inputValue(), '555')

    await fillQuote({ Bedrooms: '5+' })
    const [stored] = await Promise.all([answered(), submit()])
    assert.equal(stored.status(), 201)
    await message('Thank you.').waitFor()
    assert.equal(await page.locator('[aria-invalid]').count(), 0)
    assert(!(await page.getByRole('button', { name: 'Ask for a quote' }).isVisible()))
    await page.close()
  })

  test('send consent with its time, the page URL without its query, one key per request, and no honeypot field', async () => {
    await open(`${allowed.origin}/quote?utm_source=secret#top`)
    await fillQuote({ 'About your home': 'A garden.' })
    await Promise.all([answered(), submit()])
    const [lead = {}] = sent
    assert.deepEqual(Object.keys(lead).sort(), [
      ...['bathrooms', 'bedrooms', 'communicationsConsent', 'consentTimestamp', 'email', 'key'],
      ...['name', 'notes', 'pageUrl', 'phone', 'service', 'url'],
    ])
    assert.equal(lead.url, `${service.url}/api/v1/leads`)
    assert.equal(lead.communicationsConsent, true)
    assert(Math.abs(Date.parse(String(lead.consentTimestamp)) - Date.now()) < 60_000)
    assert.equal(lead.pageUrl, `${allowed.origin}/quote`)
    assert.match(String(lead.key), /^[0-9a-f]{32}$/)
    await page.close()
  })

  test('send a contact message', async () => {
    await open(allowed.origin)
    await fill(contact)
    const [response] = await Promise.all([answered(), page.getByRole('button', { name: 'Send' }).click()])
    assert.equal(response.status(), 201)
    assert.equal(sent[0]?.formType, 'support')
    await message('Thank you.').waitFor()
    await page.close()
  })

  test('do not submit what a bot filled in, show no false success, and send no request', async () => {
    await open(allowed.origin)
    await page.clock.setFixedTime(Date.now())
    await page.reload()
    await fillQuote()
    await submit()
    await message('One moment, please').waitFor()
    await page.close()

    await open(allowed.origin)
    await fillQuote()
    await page.evaluate("document.querySelector('[data-trap]').value = 'http://spam.example'")
    await submit()
    await message('Your request could not be sent. Please call (202) 555-0100').waitFor()
    assert.deepEqual(sent, [])
    await page.close()
  })

  test('retry a request whose answer was lost with the same key', async () => {
    await open(allowed.origin)
    await fillQuote({ 'About your home': 'An attic.' })
    await page.route('**/api/v1/leads', (route) => route.abort(), { times: 1 })
    await submit()
    await message('We could not be reached').waitFor()
    const [response] = await Promise.all([answered(), submit()])
    assert.equal(response.status(), 201)
    assert.equal(sent.length, 2)
    assert.equal(sent[0]?.key, sent[1]?.key)
    await page.close()
  })

  test("omit the consent time when the customer's clock is wrong", async () => {
    await open(allowed.origin, { time: Date.now() + 3_600_000 })
    await fillQuote({ 'About your home': 'A cellar.' })
    await submit()
    await message('Thank you').waitFor()
    assert.deepEqual(
      sent.map((lead) => 'consentTimestamp' in lead),
      [true, false],
    )
    assert.equal(sent[0]?.key, sent[1]?.key)
    await page.close()
  })

  test('cannot read answers from a disallowed origin, and say how else to get in touch', async () => {
    await open(other.origin)
    await fillQuote()
    const errors: string[] = []
    page.on('console', (entry) => errors.push(entry.text()))
    await submit()
    await message('We could not be reached').waitFor()
    await message('Please call (202) 555-0100').waitFor()
    assert(
      errors.some((text) => /blocked by CORS policy/.test(text)),
      errors.join('\n'),
    )
    await page.close()
  })

  test('count down the wait, then enable the button again', async () => {
    await open(allowed.origin)
    await page.route('**/api/v1/leads', (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': 'Retry-After',
          'Retry-After': '41',
        },
        json: { code: 'rate_limited', retryable: true },
      }),
    )
    await fillQuote()
    await submit()
    const button = page.getByRole('button', { name: 'Again in 41 seconds' })
    await button.waitFor()
    assert(await button.isDisabled())
    await page.clock.runFor(11_000)
    await page.getByRole('button', { name: /Again in (?:30|29) seconds/ }).waitFor()
    await page.clock.runFor(31_000)
    assert(!(await page.getByRole('button', { name: 'Ask for a quote' }).isDisabled()))
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), request.Name)
    await page.close()
  })

  test('work under a strict CSP once style and script are separate files', async () => {
    const form = other.files['/'] ?? ''
    const style = /<!-- form: begin -->\s*<style>([\s\S]*?)<\/style>/.exec(form)?.[1] ?? ''
    const script = /<script>([\s\S]*?)<\/script>/.exec(form)?.[1] ?? ''
    assert(style && script)
    const html = form
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/<script>[\s\S]*?<\/script>/, '')
      .replace('</head>', '<link rel="stylesheet" href="/form.css"><script src="/form.js" defer></script></head>')
    const site = await openWebsite()
    site.files = { '/': html, '/form.css': style, '/form.js': script }
    site.policy = `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src ${service.url}`
    await open(site.origin)
    await fillQuote()
    await submit()
    // The form's CSP allowed the request, but its origin is not allowed.
    await message('We could not be reached').waitFor()
    assert.equal(sent.length, 1)
    await page.close()
    site.server.close()
  })

  test('without JavaScript only show whom to call, and send nothing', async () => {
    allowed.policy = "script-src 'none'"
    await open(`${allowed.origin}/quote`)
    assert(await page.getByText('This form works only with JavaScript. Please call (202) 555-0100').first().isVisible())
    assert(await page.getByLabel('Name', { exact: true }).isDisabled())
    assert(await page.getByRole('button', { name: 'Ask for a quote' }).isDisabled())
    await page.locator('form').first().press('Enter')
    assert.equal(page.url(), `${allowed.origin}/quote`)
    assert.deepEqual(sent, [])
    await page.close()
  })
})
