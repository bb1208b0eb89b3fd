import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { freePorts, listen } from '../support/ports.ts'
import { type Service, startService } from '../support/service.ts'

type Website = Awaited<ReturnType<typeof openWebsite>>

/** A website that has copied the forms: what it serves at each path, with which Content-Security-Policy. */
async function openWebsite() {
  const website = { origin: '', files: {} as Record<string, string>, policy: '', server: createServer() }
  website.server.on('request', ({ url = '' }, response) => {
    const path = url.replace(/\?.*/, '')
    const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }
    response.setHeader('Content-Type', types[extname(path)] ?? 'text/html; charset=utf-8')
    if (website.policy) response.setHeader('Content-Security-Policy', website.policy)
    response.end(website.files[path] ?? website.files['/'])
  })
  website.origin = `http://127.0.0.1:${await listen(website.server)}`
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
  'What is it about?': 'Windows',
  Message: 'Do you clean windows too?',
}

/** What the styles of websites do to forms: a small root font, a dark page, a reset, floats, flexbox, and checkboxes drawn by hand. */
const theme = `
  html { font-size: 62.5%; } body { padding: 16px !important; max-width: none !important; background: #28303d; font-size: 10px; letter-spacing: .1em; }
  form * { color: #39414d; margin: 9px !important; }
  input, select, textarea, button { all: unset; direction: rtl; font-size: 10px !important; color: #ddd; background: transparent; }
  input[type=checkbox] { position: absolute; opacity: 0; width: 0; height: 0; clip-path: inset(50%); }
  main form label { text-transform: uppercase; float: left; width: 150px; font-size: 9px; position: relative; }
  label::before { content: ''; display: inline-block; width: 12px; height: 12px; border: 1px solid #ddd; }
  form { display: flex; columns: 2; } form p { text-indent: 2em; } button { float: right; } a { color: #cd2653; }`

/** What WordPress 6 makes of text in its classic editor: the parts of wptexturize and wpautop that can change a form. */
function filterLikeWordPress(text: string): string {
  const inTags = (html: string, change: (tag: string) => string) =>
    html.replace(/<(?:!--[\s\S]*?-->|[^>]*>?)/g, (tag) => change(tag))
  const block =
    '(?:table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote|address|math|style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|summary)'
  const blockTag = `</?${block}[^>]*>`
  const loneAmpersand = /&(?!#(?:\d+|x[a-f0-9]+);|[a-z1-4]{1,8};)/gi
  const texturized = inTags(text, (tag) => (tag.startsWith('<!--') ? tag : tag.replace(loneAmpersand, '&#038;')))
  const apart = texturized
    .replace(new RegExp(`(<${block}[\\s/>])`, 'g'), '\n\n$1')
    .replace(new RegExp(`(</${block}>)`, 'g'), '$1\n\n')
  const paragraphs = inTags(apart, (tag) => tag.replaceAll('\n', ' <!-- wpnl --> '))
    .replace(/\s*<option/g, '<option')
    .replace(/<\/option>\s*/g, '</option>')
    .split(/\n\s*\n/)
    .filter((part) => part !== '')
    .map((part) => `<p>${part.replace(/^\n+|\n+$/g, '')}</p>\n`)
  return paragraphs
    .join('')
    .replace(/<p>\s*<\/p>/g, '')
    .replace(/<p>([^<]+)<\/(div|address|form)>/g, '<p>$1</p></$2>')
    .replace(new RegExp(`<p>\\s*(${blockTag})\\s*</p>`, 'g'), '$1')
    .replace(new RegExp(`<p>\\s*(${blockTag})`, 'g'), '$1')
    .replace(new RegExp(`(${blockTag})\\s*</p>`, 'g'), '$1')
    .replace(/<(script|style|svg)[\s\S]*?<\/\1>/g, (part) => part.replaceAll('\n', '<WPPreserveNewline />'))
    .replace(/(?<!<br \/>)\s*\n/g, '<br />\n')
    .replaceAll('<WPPreserveNewline />', '\n')
    .replace(new RegExp(`(${blockTag})\\s*<br />`, 'g'), '$1')
    .replace(/<br \/>(\s*<\/?(?:p|li|div|dl|dd|dt|th|pre|td|ul|ol)[^>]*>)/g, '$1')
    .replaceAll(' <!-- wpnl --> ', '\n')
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
      BUSINESS_EMAIL: 'appointments.and.questions@residential-cleaning-of-the-greater-bay-area.example',
      RATE_LIMIT: '11',
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    })
    const published = await fetch(`${service.url}/website-form.html`)
    assert.equal(published.headers.get('content-type'), 'text/plain; charset=utf-8')
    allowed.files = { '/': await published.text() }
    browser = await launchBrowser()
  })
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
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
        sent.push({
          ...{ url: one.url(), ...one.postDataJSON() },
          ...{ key: one.headers()['idempotency-key'], told: one.headers()['consent-version'] },
        })
    })
    await page.clock.install(clock)
    await page.goto(url)
    await page.clock.runFor(4_000)
  }
  const box = (name: string) => page.getByRole('textbox', { name, exact: true })
  async function fill(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await box(name).fill(value)
  }
  async function fillQuote(changes: Record<string, string> = {}): Promise<void> {
    await fill({ ...request, ...changes })
    await page.getByLabel('Kind of cleaning').selectOption('Deep clean')
    await page.getByRole('checkbox').check()
  }
  const submit = () => page.getByRole('button', { name: 'Ask for a quote' }).click()
  const message = (text: string) => page.getByRole('alert').getByText(text)
  const answered = () => page.waitForResponse((response) => response.request().method() === 'POST')
  async function assertAccessible(part: string): Promise<void> {
    await page.evaluate(axe.source)
    const violations = await page.evaluate<unknown[]>(
      `axe.run('${part}').then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
    )
    assert.deepEqual(violations, [])
  }

  test('are accessible on a phone, and send nothing before the customer agrees', async () => {
    await open(allowed.origin)
    await assertAccessible('html')
    await page.getByRole('form', { name: 'Write to us' }).waitFor()
    await fillQuote()
    await page.getByRole('checkbox').uncheck()
    await submit()
    const ask = 'We need your yes to this before we can contact you. If you would rather not, please call'
    await page.getByText(ask).waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'communicationsConsent')
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
    const shown = await page.evaluate(
      `[...document.querySelectorAll('input[type=checkbox], .message:not(:empty), button')].slice(0, 3)
        .map((part) => part.getBoundingClientRect()).every(({ top, bottom }) => top >= 0 && innerHeight >= bottom)`,
    )
    assert(shown, 'the box, the message and the button are in view')
    assert.deepEqual(sent, [])
  })

  test("look and work the same in a website's own style, from right to left, and after WordPress's filters", async () => {
    const form = allowed.files['/'] ?? ''
    const [source = ''] = /<!-- forms: begin -->[\s\S]*<!-- forms: end -->/.exec(form) ?? []
    allowed.files['/styled'] = form.replace('<style>', () => `<style>${theme}</style><style>`)
    allowed.files['/right-to-left'] = form.replace('<html lang="en">', '<html lang="ar" dir="rtl">')
    allowed.files['/wordpress'] = form.replace(source, () => filterLikeWordPress(source))
    const looks: unknown[] = []
    for (const path of ['/', '/styled', '/right-to-left', '/wordpress']) {
      await open(allowed.origin + path)
      assert.equal(await page.evaluate('scrollTo(-999, 0), scrollX'), 0)
      await submit()
      await assertAccessible('.lead-form')
      const look = await page.evaluate(`(() => {
        const form = document.querySelector('.lead-form')
        const { x, y } = form.getBoundingClientRect()
        return [...form.querySelectorAll('*')].filter((part) => part.checkVisibility()).map((part) => {
          const box = part.getBoundingClientRect()
          const { color, backgroundColor, direction, fontSize, opacity } = getComputedStyle(part)
          return [part.id || part.tagName, box.x - x, box.y - y, box.width, box.height, color, backgroundColor, direction, fontSize, opacity]
        })
      })()`)
      looks.push(look)
      await page.close()
    }
    for (const look of looks) assert.deepEqual(look, looks[0])
    await open(`${allowed.origin}/wordpress`)
    await fillQuote({ Bedrooms: 'Studio', Bathrooms: '2 bathrooms', 'About your home': 'In the old town.' })
    const [response] = await Promise.all([answered(), submit()])
    assert.deepEqual([response.status(), sent[0]?.bedrooms, sent[0]?.bathrooms], [201, '0', '2'])
  })

  test('show errors in plain words beside each field, and keep what was typed', async () => {
    await open(allowed.origin)
    await fillQuote({ Phone: '555', Bedrooms: 'three' })
    const [response] = await Promise.all([answered(), submit()])
    assert.equal(response.status(), 422)
    await message('Please look at the fields').waitFor()
    const phone = box('Phone')
    assert.equal(await phone.getAttribute('aria-invalid'), 'true')
    const fault = (name: string) => page.locator(`#quote-${name}-fault`).textContent()
    assert.match((await fault('phone')) ?? '', /^Please check the number\. We can call U\.S\. numbers/)
    assert.equal(await fault('bedrooms'), 'How many bedrooms? Please write a number, for example 3')
    assert.equal(await page.locator('#quote-email-fault').textContent(), '')
    assert.equal(await phone.inputValue(), '555')
    const [ways] = await page.locator('#quote-phone-fault').allInnerTexts()
    assert.match(
      ways ?? '',
      /An extension goes into “About your home”\. If you have no such number, please call \(202\) 555-0100 or/,
    )

    await box('Phone').fill('(202) 555-0123')
    assert.equal(await fault('phone'), '')
    assert.equal(await phone.getAttribute('aria-invalid'), null)
    assert(await message('Please look at the fields').isVisible())
    await fillQuote({ Bedrooms: '5+', 'About your home': 'x'.repeat(7_000) })
    await submit()
    assert.equal(await fault('notes'), 'This has 7,000 characters, but only 5,000 fit. Please shorten it.')
    await fillQuote({ Bedrooms: '5+' })
    assert(!(await page.getByRole('alert').first().isVisible()))
    const [stored] = await Promise.all([answered(), submit()])
    assert.equal(stored.status(), 201)
    await message(`its number is ${((await stored.json()) as { id: string }).id}`).waitFor()
    assert.equal(await page.locator('[aria-invalid]').count(), 0)
    assert(!(await page.getByRole('button', { name: 'Ask for a quote' }).isVisible()))
  })

  test('send what people type and paste, with consent and its time, the page URL without its query, and no honeypot', async () => {
    await open(`${allowed.origin}/quote?utm_source=secret#top`)
    await fillQuote({
      Name: '\u200fPat Example\u200b',
      Phone: '\u202a(202)\u00a0555\u20110123\u202c',
      Bedrooms: '2 1/2',
      Bathrooms: '1,5',
      'About your home': 'A loft.\u2060',
    })
    const [response] = await Promise.all([answered(), submit()])
    assert.equal(response.status(), 201)
    const { consentTimestamp, key, told, ...lead } = sent[0] ?? {}
    assert.deepEqual(lead, {
      ...{ name: 'Pat Example', phone: '(202) 555-0123', email: 'pat@example.com', service: 'Deep clean' },
      ...{ bedrooms: '2.5', bathrooms: '1.5', notes: 'A loft.', communicationsConsent: true },
      ...{ pageUrl: `${allowed.origin}/quote`, url: `${service.url}/api/v1/leads` },
    })
    assert(Math.abs(Date.parse(String(consentTimestamp)) - Date.now()) < 60_000)
    assert.match(String(key), /^[0-9a-f]{32}$/)
    assert.match(String(told), /^\d{4}-\d{2}-\d{2}$/)

    await fill(contact)
    const [taken] = await Promise.all([answered(), page.getByRole('button', { name: 'Send' }).click()])
    assert.deepEqual([taken.status(), sent[1]?.formType], [201, 'support'])
    await message('Thank you. We have your message. If').waitFor()
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
  })

  test('keep everything and the key while they wait: for an answer, at most 20 seconds, and for a place', async () => {
    await open(allowed.origin)
    await fillQuote({ 'About your home': 'An attic.' })
    await page.route('**/api/v1/leads', () => {}, { times: 1 })
    await page.evaluate(
      'AbortSignal.timeout = (ms) => { window.limit = ms; window.end = new AbortController(); return end.signal }',
    )
    await submit()
    await message('Sending …').waitFor()
    assert(await page.getByRole('button', { name: 'Sending …' }).isDisabled())
    assert.equal(await page.evaluate('window.limit'), 20_000)
    await page.evaluate('end.abort()')
    await message('We could not be reached').waitFor()
    assert.equal(await box('Name').inputValue(), request.Name)

    const exposed = { 'Access-Control-Expose-Headers': 'Retry-After', 'Retry-After': '41' }
    const headers = { 'Access-Control-Allow-Origin': '*', ...exposed }
    const json = { code: 'rate_limited', retryable: true }
    await page.route('**/api/v1/leads', (route) => route.fulfill({ status: 429, headers, json }), { times: 1 })
    await submit()
    const button = page.getByRole('button', { name: 'Again in 41 seconds' })
    await button.waitFor()
    assert(await button.isDisabled())
    await page.clock.runFor(11_000)
    await page.getByRole('button', { name: /Again in (?:30|29) seconds/ }).waitFor()
    await page.clock.runFor(31_000)
    await message('You can press “Ask for a quote” again.').waitFor()

    const [response] = await Promise.all([answered(), submit()])
    assert.equal(response.status(), 201)
    assert.deepEqual([sent.length, new Set(sent.map(({ key }) => key)).size], [3, 1])
  })

  test('omit the consent time of a wrong clock, and the version of a wording that the service does not know', async () => {
    await open(allowed.origin, { time: Date.now() + 3_600_000 })
    await fillQuote({ 'About your home': 'A cellar.' })
    await submit()
    await message('Thank you').waitFor()
    assert.equal(typeof sent[0]?.consentTimestamp, 'string')
    assert.deepEqual([sent.length, sent[1]?.consentTimestamp, sent[1]?.key], [2, undefined, sent[0]?.key])

    await open(allowed.origin)
    await fillQuote({ 'About your home': 'An attic.' })
    const json = { errors: [{ pointer: '#/Consent-Version', code: 'invalid_value' }] }
    const headers = { 'Access-Control-Allow-Origin': '*' }
    // Without `times`: a request that is sent while a route ends may not be reported.
    await page.route('**/api/v1/leads', (route) =>
      sent.length === 1 ? route.fulfill({ status: 422, headers, json }) : route.continue(),
    )
    await submit()
    await message('Thank you').waitFor()
    assert.deepEqual([sent.length, sent[1]?.told, sent[1]?.key], [2, undefined, sent[0]?.key])
  })

  test('work under a strict CSP with separate files; a disallowed origin says how else to get in touch', async () => {
    const form = allowed.files['/'] ?? ''
    const style = /<!-- forms: begin -->\s*<style>([\s\S]*?)<\/style>/.exec(form)?.[1] ?? ''
    const script = /<script>([\s\S]*?)<\/script>/.exec(form)?.[1] ?? ''
    assert(style && script)
    const html = form
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/<script>[\s\S]*?<\/script>/, '')
      .replace('</head>', '<link rel="stylesheet" href="/form.css"><script src="/form.js" defer></script></head>')
    other.files = { '/': html, '/form.css': style, '/form.js': script }
    other.policy = `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src ${service.url}`
    await open(other.origin)
    await fillQuote()
    const errors: string[] = []
    page.on('console', (entry) => errors.push(entry.text()))
    await submit()
    await message('We could not be reached').waitFor()
    await page.getByRole('alert').getByRole('link', { name: '(202) 555-0100' }).waitFor()
    assert.match(errors.join('\n'), new RegExp(`${other.origin} may be missing in its CORS_ORIGINS`))
    assert.equal(sent.length, 1, 'the CSP allows the request')
  })

  test('without JavaScript only show whom to call, and send nothing', async () => {
    allowed.policy = "script-src 'none'"
    await open(`${allowed.origin}/quote`)
    assert(await page.getByText('This form works only with JavaScript. Please call (202) 555-0100').first().isVisible())
    assert(await box('Name').isDisabled())
    assert(await page.getByRole('button', { name: 'Ask for a quote' }).isDisabled())
    await page.locator('form').first().press('Enter')
    assert.equal(page.url(), `${allowed.origin}/quote`)
    assert.deepEqual(sent, [])
  })
})
