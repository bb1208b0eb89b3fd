import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import type { Browser, FrameLocator, Page, Route } from 'playwright-core'
import { closePages, launchBrowser, overflowOf, skipWithoutBrowser, violationsOf } from '../support/browser.ts'
import { get } from '../support/http.ts'
import { skipWithoutOthers } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { root, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { bundleOf, openWebsite, pageOf, sampleOf, snippet, themes, type Website } from '../support/website.ts'

const person = { Name: 'Pat Example', Phone: '(202) 555-0123', 'E-mail': 'pat@example.com' }
const request = { ...person, Bedrooms: '3', Bathrooms: '2.5', 'About your home': 'Two cats.' }
const contact = { ...person, 'What is it about?': 'Windows', Message: 'Do you clean windows too?' }
const thanks = 'Thank you. We have your request.'

/** Scripts of pages that take keys, clicks and the clipboard, except in what they see as a field. */
const guards = {
  'a page against copying': (form: string) => `${form}<script>
    const isField = ({ target }) => ['INPUT', 'TEXTAREA', 'SELECT', 'OPTION'].includes(target.nodeName)
    for (const type of ['mousedown', 'selectstart', 'contextmenu', 'copy', 'cut', 'paste']) document['on' + type] = isField
    document.onkeydown = (event) => !(event.ctrlKey && 'acvxsu'.includes(event.key) && !isField(event))</script>`,
  'a page with github/hotkey': (form: string) =>
    `${form}<a href="#" id="link">Search</a><script type="module">${bundleOf(
      "import { install } from '@github/hotkey'; install(link, 's'); install(link, '/'); install(link, 'Space')",
    )}</script>`,
  'a page with fullPage.js': (form: string) =>
    `<div id="full"><div class="section">${form}</div></div><script type="module">${bundleOf(
      "import FullPage from 'fullpage.js'; new FullPage('#full', { credits: { enabled: false }, scrollOverflow: true })",
    )}</script>`,
}

/** Pages that take the form away and bring it back. */
const routers = {
  'a page of React': `import { createElement as e, useState } from 'react'; import { createRoot } from 'react-dom/client'
    function App() {
      const [isOn, set] = useState(true)
      return [e('button', { key: 1, onClick: () => set(!isOn) }, 'toggle'), isOn && e('lead-form', { key: 2, services: 'Regular cleaning, Deep clean' })]
    }
    createRoot(app).render(e(App))`,
  'a page of Vue': `import { createApp } from 'vue/dist/vue.esm-bundler.js'
    createApp({ data: () => ({ isOn: true }), template: '<button @click="isOn = !isOn">toggle</button><lead-form v-if="isOn" services="Regular cleaning, Deep clean"/>' }).mount('#app')`,
  'pages of Turbo': "import '@hotwired/turbo'",
}

suite('the website forms in Chromium', { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  let allowed: Website
  let service: Service
  let page: Page
  let sent: Record<string, unknown>[]
  /** What gets the first requests in place of the service. Set before `open`: an open page ignores a new route. */
  let answers: ((route: Route) => unknown)[] = []
  before(async () => {
    const [port] = await freePorts(1)
    allowed = await openWebsite()
    // The browser is one client, and these tests need more attempts than the default limit.
    const place = { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, CORS_ORIGINS: allowed.origin }
    const BUSINESS_EMAIL = 'appointments.and.questions@residential-cleaning-of-the-greater-bay-area.example'
    service = await startService({ ...place, BUSINESS_EMAIL, RATE_LIMIT: '1000' })
    browser = await launchBrowser()
  })
  afterEach(async (context) => {
    await closePages(browser, context)
    allowed.policy = ''
    answers = []
  })
  after(async () => {
    await browser.close()
    await service.stop()
    allowed.server.close()
  })

  /** Opens a page, and records what it sends. */
  async function open(url: string, clock: Parameters<Page['clock']['install']>[0] = {}, options = {}): Promise<void> {
    page = await browser.newPage({ viewport: { width: 390, height: 900 }, ...options })
    page.setDefaultTimeout(10_000)
    sent = []
    page.on('request', (one) => {
      const { 'idempotency-key': key, 'consent-version': presented } = one.headers()
      if (one.method() === 'POST') sent.push({ url: one.url(), ...one.postDataJSON(), key, presented })
    })
    await page.clock.install(clock)
    if (answers.length > 0) await page.route('**/api/v1/leads', (route) => (answers.shift() ?? pass)(route))
    await page.goto(url)
  }
  /** Opens a page with these lines in its body. */
  async function openPage(body: string, { head = '', path = '/page', query = '', options = {} } = {}): Promise<void> {
    allowed.files[path] = pageOf(body, head)
    await open(allowed.origin + path + query, {}, options)
  }
  const openForms = (query = '') => openPage(snippet(service.url), { path: '/quote', query })
  type Place = Page | FrameLocator
  const quoteOf = (place: Place) => place.getByRole('form', { name: 'Ask for a quote' })
  const quote = () => quoteOf(page)
  const message = () => page.getByRole('form', { name: 'Write to us' })
  const box = (name: string, form = quote()) => form.getByRole('textbox', { name, exact: true })
  async function fill(values: Record<string, string>, form = quote()): Promise<void> {
    for (const [name, value] of Object.entries(values)) await box(name, form).fill(value)
  }
  /** `about` makes the request another one than those of other tests. */
  async function fillQuote(about: string, changes: Record<string, string> = {}, form = quote()): Promise<void> {
    await fill({ ...request, 'About your home': about, ...changes }, form)
    await form.getByLabel('Kind of cleaning').selectOption('Deep clean')
    await form.getByRole('checkbox').check()
  }
  const submit = (form = quote()) => form.getByRole('button').click()
  /** Presses the button, and returns the answer of the service. */
  async function send(form = quote()) {
    const answered = page.waitForResponse((one) => one.request().method() === 'POST')
    await submit(form)
    const response = await answered
    return { status: response.status(), id: ((await response.json()) as { id?: string }).id }
  }
  /** Presses the button, and waits for the receipt. */
  async function deliver(form = quote()): Promise<void> {
    await submit(form)
    await received()
  }
  const pass = (route: Route) => route.continue()
  function answer(status: number, json: unknown, retryAfter = '') {
    const exposed = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' }
    return (route: Route) => route.fulfill({ status, headers: { ...exposed, 'Retry-After': retryAfter }, json })
  }
  const shown = (text: string) => page.locator('[aria-live]').getByText(text)
  const received = (text = thanks, place: Place = page) => place.getByRole('heading', { name: text }).waitFor()
  /** A value of an element in the first form. */
  const inForm = (selector: string, expression: string) =>
    page.evaluate(
      `((part) => ${expression})(document.querySelector('lead-form').shadowRoot.querySelector('${selector}'))`,
    )
  const buttonColor = () => inForm('button', 'getComputedStyle(part).backgroundColor')
  const focused = (member: string) => page.evaluate(`document.activeElement.shadowRoot.activeElement.${member}`)
  const assertAccessible = async (part: string) => assert.deepEqual(await violationsOf(page, part), [])
  /** Presses the button of the first form, so that every field has a message. */
  async function pressEmpty(): Promise<void> {
    await submit(page.locator('lead-form').first())
    await page.getByText('Please look at the fields').waitFor()
  }

  const script = () => `<script src="${service.url}/website-forms.js" async></script>`
  const sample = (title: string) => sampleOf(service.url, `html ${title}`)

  test('send nothing before the customer agrees, and show where', async () => {
    await openForms()
    await fillQuote('No consent.')
    await quote().getByRole('checkbox').uncheck()
    await submit()
    const ask = 'Please tick this to send the form. If you would rather not, please call'
    await page.getByText(ask).waitFor()
    assert.equal(await focused('name'), 'communicationsConsent')
    const shown = await page.evaluate(
      `[...document.querySelector('lead-form').shadowRoot.querySelectorAll('input[type=checkbox], .message:not(:empty), button')]
        .map((part) => part.getBoundingClientRect()).every(({ top, bottom }) => top >= 0 && innerHeight + 1 > bottom)`,
    )
    assert(shown, 'the box, the message and the button are in view')
    assert.deepEqual(sent, [])
  })

  test('show errors in plain words next to each field, and keep what was typed', async () => {
    await openForms()
    const fault = (name: string) => page.locator(`#quote-${name}-fault`).textContent().then(String)
    await fillQuote('', { Phone: '202 555', 'E-mail': 'pat@home', Bedrooms: 'six', Bathrooms: '2½' })
    await submit()
    assert.match(await fault('notes'), /^Please tell us about your home/)
    assert.match(await fault('phone'), /^Please check the number/, 'what is wrong shows with what is missing')
    assert.match(await fault('email'), /^Please check the address/)
    assert.match(await fault('bedrooms'), /^How many bedrooms\? Please write one number/)
    assert.deepEqual([await fault('bathrooms'), sent], ['', []])
    await fillQuote('A barn.', { Phone: '555', Bedrooms: 'three' })
    assert.equal((await send()).status, 422)
    const phone = box('Phone')
    const marked = page.getByText('Please look at the fields that are marked above.')
    await marked.waitFor()
    assert.equal(await phone.getAttribute('aria-invalid'), 'true')
    assert.match(
      await fault('phone'),
      /^Please check the number\. .* into “About your home”\. If you have no such number, please call \(202\) 555-0100 or/,
    )
    assert.equal(
      await fault('bedrooms'),
      'How many bedrooms? Please write one number in digits, for example 3. A guess will do.',
    )
    assert.deepEqual([await fault('email'), await phone.inputValue()], ['', '555'])
    await phone.fill('(202) 555-0123')
    assert.deepEqual([await fault('phone'), await phone.getAttribute('aria-invalid')], ['', null])
    assert(await marked.isVisible())
    await fillQuote('x'.repeat(7_000), { Bedrooms: '5+' })
    await submit()
    assert.equal(await fault('notes'), 'This has 7,000 characters, but only 5,000 fit. Please shorten it.')
    await fillQuote('A barn.', { Bedrooms: '5+' })
    assert.equal(await marked.count(), 0)
    const { status, id } = await send()
    await received()
    const number = await page.locator('.number').textContent()
    assert.deepEqual([status, number, await quote().count()], [201, id, 0], 'the number has a line of its own')
    await page.locator('.done').getByRole('link', { name: '(202) 555-0100' }).waitFor()
  })

  test('send what people type and paste, with consent and its time, the page URL without its query, and no honeypot', async () => {
    await openForms('?utm_source=secret#top')
    const pasted = { Name: '\u200fPat Example\u200b', Phone: '\u202a(202) 555\u20110123\u202c' }
    await fillQuote('A loft.\u2060', { ...pasted, Bedrooms: '2 1/2', Bathrooms: '1,5' })
    assert.equal((await send()).status, 201)
    const { consentTimestamp, key, presented, ...lead } = sent[0] ?? {}
    assert.deepEqual(lead, {
      ...{ name: 'Pat Example', phone: '(202) 555\u20110123', email: 'pat@example.com', service: 'Deep clean' },
      ...{ bedrooms: '2 1/2', bathrooms: '1,5', notes: 'A loft.', communicationsConsent: true },
      ...{ pageUrl: `${allowed.origin}/quote`, url: `${service.url}/api/v1/leads` },
    })
    assert(Math.abs(Date.parse(String(consentTimestamp)) - Date.now()) < 60_000)
    assert.match(String(key), /^\d+(-\d+){3}$/)
    const { json } = await get(`${service.url}/api/v1`)
    assert.equal(presented, (json.consent as { version: string }).version)
    await fill(contact, message())
    assert.equal((await send(message())).status, 201)
    const { url: _url, key: _key, presented: none, ...second } = sent[1] ?? {}
    assert.deepEqual([second.formType, Object.keys(second).length, none], ['support', 6, undefined])
    await received('Thank you. We have your message.')
  })

  test('do not submit what a bot filled in, show no false success, and send no request', async () => {
    await openForms()
    await fillQuote('A bot.')
    await inForm('[data-trap]', "part.value = 'http://spam.example'")
    await submit()
    await shown('This could not be sent. Please call (202) 555-0100').waitFor()
    assert.deepEqual(sent, [])
  })

  test('keep everything, with the key, while they wait for an answer, at most 20 seconds, or for another try', async () => {
    answers = [() => {}, answer(200, null), answer(429, { code: 'rate_limited', retryable: true }, '41')]
    await openForms()
    await fillQuote('An attic.')
    await submit()
    await shown('Sending …').waitFor()
    const button = quote().getByRole('button', { name: 'Ask for a quote' })
    assert((await button.isDisabled()) && (await box('Name').isDisabled()))
    await button.dispatchEvent('click')
    assert.equal(sent.length, 1, 'a second press sends nothing')
    for (const part of ['input', 'select', 'textarea'])
      assert.equal(await inForm(part, 'getComputedStyle(part).opacity'), '0.7', `${part} is grayed like the others`)
    assert.equal(await focused('localName'), 'button')
    await page.clock.runFor(19_000)
    assert.equal(await shown('We could not').count(), 0)
    await page.clock.runFor(1_100)
    await shown('We could not be reached').waitFor()
    assert.equal(await box('Name').inputValue(), request.Name)

    // What is not the service's, such as a captive portal's, leaves the form usable.
    await submit()
    await shown('This could not be sent').waitFor()
    await submit()
    await page.getByText('Again in 41 seconds').waitFor()
    assert(await button.isDisabled())
    await page.clock.runFor(42_000)
    await shown('You can press “Ask for a quote” again.').waitFor()
    assert.equal(await page.getByText('We cannot take this yet').count(), 0)
    assert.equal((await send()).status, 201)
    assert.deepEqual([sent.length, new Set(sent.map(({ key }) => key)).size], [4, 1])
  })

  test('drop what no customer can correct, and send the request once more', async () => {
    await openForms()
    await page.close()
    await open(`${allowed.origin}/quote`, { time: Date.now() + 3_600_000 })
    await fillQuote('A cellar, and a short number.', { Phone: '555' })
    await submit()
    await page.getByText('Please check the number.').waitFor()
    assert.equal(sent.length, 1, 'the customer has to correct something else')
    await box('Phone').fill('202-555-0123')
    await deliver()
    const times = sent.map(({ consentTimestamp }) => typeof consentTimestamp)
    assert.deepEqual(times, ['string', 'undefined'], 'the clock is wrong')
    for (const [name, member] of Object.entries({ 'Consent-Version': 'presented', pageUrl: 'pageUrl' })) {
      answers = [answer(422, { errors: [{ pointer: `#/${name}`, code: 'invalid_value' }] })]
      await openForms()
      await fillQuote(`A cellar, and ${name}.`)
      await deliver()
      assert.equal(typeof sent[0]?.[member], 'string')
      assert.deepEqual([sent.length, sent[1]?.[member], sent[1]?.key], [2, undefined, sent[0]?.key])
    }
  })

  test('send no time of consent for a checkmark that the browser restored', async () => {
    await openForms()
    await fillQuote('A tower.')
    await page.reload()
    // As a browser restores it: without an event.
    await inForm('[type=checkbox]', 'part.checked = true')
    await deliver()
    assert.deepEqual([sent.length, sent[0]?.communicationsConsent, sent[0]?.consentTimestamp], [1, true, undefined])
  })

  test('work independently, three on one page', async () => {
    const form = '<lead-form services="Deep clean"></lead-form>'
    await openPage(`${script()}${form}${form}<div data-lead-form data-kind="support">Call us</div>${script()}`)
    const [first, second] = [quote().first(), quote().nth(1)]
    await submit(second)
    assert.equal(await page.locator('lead-form').nth(1).locator('[aria-invalid]').count(), 8)
    assert.equal(await page.locator('[aria-invalid]').count(), 8)
    await fillQuote('The second form.', {}, second)
    await first.getByRole('checkbox').check()
    await second.getByText('I ask').click()
    assert(!(await second.getByRole('checkbox').isChecked()))
    assert(await first.getByRole('checkbox').isChecked())
    await second.getByRole('checkbox').check()
    await deliver(second)
    assert.equal(await quote().count(), 1)
    assert.equal(await page.getByText('Call us').count(), 0)
    assert.equal(await message().count(), 1, 'a script that is there twice shows no form twice')
  })

  for (const [name, change] of Object.entries({
    'puts back in another order': 'first.remove(), second.remove(), main.append(second, first)',
    'changes, one at a time': "first.remove(), second.setAttribute('services', 'Windows'), main.prepend(first)",
    'moves to another address': "history.pushState(0, '', '/next'), main.append(first)",
  }))
    test(`two of one kind each keep what was typed in them on a page whose script ${name}`, async () => {
      await openPage(`${script()}<lead-form></lead-form><lead-form></lead-form>`, { path: '/' })
      const names = () => Promise.all([0, 1].map((index) => box('Name', quote().nth(index)).inputValue()))
      await box('Name', quote().nth(0)).fill('First')
      await box('Name', quote().nth(1)).fill('Second')
      await page.evaluate(
        `(([first, second], main) => { ${change} })(document.querySelectorAll('lead-form'), document.querySelector('main'))`,
      )
      const second = quote().nth((await names()).indexOf('Second'))
      await box('Name', second).press('End')
      await page.keyboard.type(' too')
      await page.reload()
      assert.deepEqual(await names(), ['First', 'Second too'])
    })

  test('work in a frame from srcdoc, and in a sandbox that allows no forms', async () => {
    const escaped = snippet(service.url).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    await openPage(`<iframe title="A" srcdoc="${escaped}" width="380" height="1200"></iframe>
      <iframe title="B" src="/quote" sandbox="allow-scripts allow-same-origin" width="380" height="1200"></iframe>`)
    for (const [title, url] of Object.entries({ A: undefined, B: `${allowed.origin}/quote` })) {
      const frame = page.frameLocator(`iframe[title=${title}]`)
      await fillQuote(`In frame ${title}.`, {}, quoteOf(frame))
      await box('Name', quoteOf(frame)).press('Enter')
      await received(thanks, frame)
      assert.equal(sent.at(-1)?.pageUrl, url)
    }
    assert.equal(sent.length, 2)
  })

  test('work under a strict CSP with Trusted Types; a disallowed origin says how else to get in touch', async () => {
    const policy = `default-src 'none'; img-src data:; script-src ${service.url}; connect-src ${service.url}; require-trusted-types-for 'script'; trusted-types 'none'`
    allowed.policy = policy
    await openForms()
    await fillQuote('Behind a policy.')
    assert.equal(await buttonColor(), 'rgb(10, 102, 87)')
    await deliver()
    const other = allowed.origin.replace('127.0.0.1', 'localhost')
    await open(`${other}/quote`)
    await fillQuote('Elsewhere.')
    const errors: string[] = []
    page.on('console', (entry) => errors.push(entry.text()))
    await submit()
    await shown('We could not be reached').waitFor()
    await shown('call (202) 555-0100').waitFor()
    const warned = (why: string) => until('a warning', () => errors.some((text) => text.includes(why)))
    await warned(`add ${other} to CORS_ORIGINS`)
    assert.equal(sent.length, 1, 'the CSP allows the request')
    allowed.policy = policy.replace(/connect-src [^;]*;/, '')
    await openForms()
    page.on('console', (entry) => errors.push(entry.text()))
    await fillQuote('Behind a policy that is too strict.')
    await submit()
    await shown('We could not be reached').waitFor()
    await warned('connect-src of this page')
  })

  test('tell the page of each new request once, without personal data', async () => {
    const tags = await sample('For Tag Manager')
    answers = [pass, (route) => route.fetch().then(() => route.abort())]
    await openPage(snippet(service.url), { path: '/quote', head: tags })
    const listen =
      "window.told = []; document.addEventListener('lead-sent', ({ detail, target }) => { told.push([detail, target.localName]) })"
    await page.evaluate(listen)
    await fillQuote('A castle.', { Phone: '555' })
    await submit()
    await page.getByText('Please check the number.').waitFor()
    assert.deepEqual(await page.evaluate('told'), [])
    // The answer gets lost, so the customer presses again: still one request, told once.
    await box('Phone').fill(request.Phone)
    await submit()
    await shown('We could not be reached').waitFor()
    const { status, id } = await send()
    await received()
    assert.deepEqual([status, await page.evaluate('told')], [201, [[{ kind: 'quote', id }, 'lead-form']]])
    assert.deepEqual(await page.evaluate('dataLayer'), [{ event: 'lead_sent', lead_kind: 'quote', lead_id: id }])
    await page.reload()
    await page.evaluate(listen)
    await fillQuote('A castle.')
    const again = await send()
    await received()
    assert.deepEqual([again, await page.evaluate('told')], [{ status: 200, id }, []], 'a duplicate was counted before')
  })

  test('choose the service of a link, take the colors of the website, and follow attributes that are set later', async () => {
    await openPage(`${script()}<lead-form services="Windows, Deep clean"></lead-form>`, {
      head: '<style>lead-form { --lead-form-accent: rgb(91, 42, 134); }</style>',
      query: '?service=deep%20Clean',
    })
    assert.equal(await page.getByLabel('Kind of cleaning').inputValue(), 'Deep clean')
    assert.equal(await buttonColor(), 'rgb(91, 42, 134)')
    await page.evaluate("document.querySelector('lead-form').setAttribute('kind', 'support')")
    await message().waitFor()
    assert.equal(await quote().count(), 0)
  })

  test('speak Spanish with the sample of the page, and show the wording itself once the translation is outdated', async () => {
    const spanish = await sample('In Spanish, complete')
    const [, version = ''] = /"consent-version": "([^"]+)"/.exec(spanish) ?? []
    const outdated = spanish.replace(version, '2020-01-01')
    answers = [answer(429, { code: 'rate_limited', retryable: true }, '300')]
    await openPage(
      `${spanish}${outdated}<lead-form lang="zz_ZZ" texts="{"></lead-form><lead-form lang="fr"></lead-form>`,
    )
    const form = page.getByRole('form', { name: 'Pedir un presupuesto' }).first()
    await form.getByRole('button', { name: 'Pedir un presupuesto' }).click()
    assert.equal(await form.getByText('¿Cómo se llama?').count(), 1)
    await form.getByLabel(/^Pido que .* se comunique conmigo/).check()
    const second = page.getByRole('form', { name: 'Pedir un presupuesto' }).nth(1)
    assert.equal(await second.locator('.consent label').getAttribute('lang'), 'en')
    await second.getByLabel(/^I ask /).check()
    assert.equal(await form.getAttribute('lang'), 'es')
    assert.equal(await quote().first().getAttribute('lang'), 'en', 'a language that is none')
    assert.equal(await quote().nth(1).getAttribute('lang'), 'en', 'its texts are English')
    await assertAccessible('lead-form:first-of-type')
    const contact = { Nombre: 'Pat Example', Teléfono: '2025550123', 'Correo electrónico': 'pat@example.com' }
    await fill({ ...contact, Dormitorios: '2', Baños: '1', 'Sobre su casa': 'Un gato.' }, form)
    await form.getByLabel('Tipo de limpieza').selectOption('Limpieza a fondo')
    await form.getByRole('button').click()
    await form.getByText('Otra vez en 5 minutos').waitFor()
    await page.clock.runFor(301_000)
    await form.getByRole('button').click()
    await received('Gracias. Tenemos su solicitud.')
    assert.equal(sent[1]?.presented, version)
  })

  test('can be used with the keyboard alone', async () => {
    await openForms()
    const type = async (name: string, text: string) => {
      do await page.keyboard.press('Tab')
      while ((await focused('name')) !== name)
      await page.keyboard.type(text)
    }
    await type('name', 'Pat Example')
    await page.keyboard.press('Enter')
    assert.equal(await focused('name'), 'phone')
    // The focus stays where it is.
    await page.keyboard.press('Enter')
    await shown('What is your phone number?').waitFor()
    await page.keyboard.type('202-555-0123')
    assert.equal(await shown('What is your phone number?').count(), 0)
    const values = { email: 'pat@example.com', bedrooms: '3', bathrooms: '2', service: 'D', notes: 'A cottage.' }
    for (const [name, text] of Object.entries(values)) await type(name, text)
    await type('communicationsConsent', ' ')
    await page.keyboard.press('Enter')
    await received()
  })

  test('look the same under hostile themes, on a right-to-left page, and in WordPress', async () => {
    // The width of the form is the website's choice, so it is the same in all.
    const width =
      'main { display: block !important; width: 358px !important; margin: 0 !important; padding: 0 !important; columns: auto !important; transform: none !important; border: 0 !important; } main > * { float: none !important; width: auto !important; }'
    const forms = snippet(service.url)
    const cases = {
      plain: [forms],
      ...Object.fromEntries(themes().map(([name, css]) => [name, [forms, `<style>${css}</style>`]])),
      'right to left': [forms.replace('<script', '<script>document.documentElement.dir = "rtl"</script><script')],
      'the classic editor of WordPress': [`<p>${forms.replaceAll('\n', '<br />\n')}</p>`],
      'an author of WordPress': [
        '<div data-lead-form data-kind="quote" data-services="Regular cleaning, Deep clean"></div>',
        forms.split('\n')[0],
      ],
    }
    /** Where and how each part of the first form is shown. */
    const look = () =>
      page.evaluate<unknown[]>(`(() => {
      const form = document.querySelector('lead-form').shadowRoot.querySelector('form')
      const { x, y } = form.getBoundingClientRect()
      return [...form.querySelectorAll('*')].filter((part) => part.checkVisibility({ visibilityProperty: true })).map((part) => {
        const box = part.getBoundingClientRect()
        const { color, backgroundColor, direction, fontSize, fontStyle, textTransform, textAlign, opacity } = getComputedStyle(part)
        return [part.id || part.tagName, box.x - x, box.y - y, box.width, box.height, color, backgroundColor, direction, fontSize, fontStyle, textTransform, textAlign, opacity]
      })
    })()`)
    let expected: unknown[] = []
    for (const [name, [body = '', head = '']] of Object.entries(cases)) {
      await openPage(body, { head: `${head}<style>${width}</style>` })
      await pressEmpty()
      if (name === 'plain') expected = await look()
      assert.deepEqual(await look(), expected, name)
      assert.equal(await page.evaluate('scrollTo(-999, 0), scrollX'), 0)
      await page.close()
    }
    assert(expected.length > 40)
  })

  test('fit a small phone with a large or widely spaced text, light, dark and in forced colors', async () => {
    const spaced =
      '<style>* { letter-spacing: .12em !important; word-spacing: .16em !important; line-height: 1.5 !important; }</style>'
    const dark = (await sample('On a dark page, with a yellow button')).split('</style>')[0]
    const style = (selector: string, member: string) => inForm(selector, `getComputedStyle(part).${member}`)
    for (const [name, scheme, head, options] of [
      ['plain', 'light', '', { colorScheme: 'dark' }],
      ['spaced', 'auto', spaced, {}],
      ['dark', 'dark', `${dark}</style>`, {}],
      ['dark by choice of the visitor', 'auto', '', { colorScheme: 'dark' }],
      ['forced colors', 'light', '', { forcedColors: 'active' }],
    ] as const) {
      const forms = snippet(service.url).replaceAll('<lead-form', `<lead-form scheme="${scheme}"`)
      await openPage(forms, { head, options: { viewport: { width: 320, height: 800 }, ...options } })
      await assertAccessible('lead-form')
      await pressEmpty()
      await assertAccessible('lead-form')
      assert.deepEqual([await overflowOf(page), await inForm('[type=checkbox]', 'part.offsetWidth')], [0, 24], name)
      const ink = name.startsWith('dark') ? 'rgb(238, 243, 241)' : 'rgb(22, 33, 31)'
      if (name !== 'forced colors') assert.equal(await style('form', 'color'), ink, name)
      else assert.notEqual(await style('button', 'borderTopColor'), 'rgba(0, 0, 0, 0)')
      const spacing = [await style('button', 'letterSpacing'), await style('button', 'wordSpacing')]
      assert.deepEqual(spacing, name === 'spaced' ? ['1.92px', '2.56px'] : ['normal', '0px'], name)
    }
    const head = '<style>lead-form { --lead-form-width: none; max-width: 960px; margin: auto; }</style>'
    await openPage(snippet(service.url), { head, options: { viewport: { width: 1000, height: 800 } } })
    const place = await inForm('form', '[part.clientWidth, part.getBoundingClientRect().x]')
    assert.deepEqual(place, [920, 40], 'the website says so')
  })

  test('print every field and the wording, from right to left in languages that read so', async () => {
    const rtl = `${script()}
      <lead-form lang="he" dir="rtl" texts='{"name": "שם", "quote.title": "הצעת מחיר"}'></lead-form>`
    await openPage(rtl)
    const form = page.getByRole('form', { name: 'הצעת מחיר' })
    assert.equal(await form.getAttribute('dir'), 'rtl')
    const placeOf = async (name: string) => (await form.getByLabel(name).boundingBox()) ?? assert.fail(name)
    const [box, label] = [await placeOf('I ask'), (await form.locator('.consent label').boundingBox()) ?? assert.fail()]
    assert(box.x > label.x + label.width - 1, 'the tick is to the right of its wording')
    await assertAccessible('lead-form')
    const boxes = form.getByRole('textbox')
    const count = await boxes.count()
    await page.emulateMedia({ media: 'print' })
    assert(await form.getByText('I ask').isVisible())
    assert.equal(await boxes.count(), count)
  })

  const one = '<lead-form kind="quote" services="Regular cleaning, Deep clean">Call us.</lead-form>'
  for (const [name, lines] of Object.entries(guards))
    test(`get what is typed, clicked and pasted in ${name}`, { skip: skipWithoutOthers('vue') }, async () => {
      const reached = "<script>keys = []; addEventListener('keydown', ({ key }) => keys.push(key))</script>"
      await openPage(reached + lines(one) + script())
      const words = 'Jess Sims, two sofas and/or stairs'
      await box('Name').click()
      for (const key of words) await page.keyboard.press(key === ' ' ? 'Space' : key)
      assert.equal(await box('Name').inputValue(), words)
      for (const key of ['Control+a', 'Control+c', 'Tab', 'Control+v', 'Escape']) await page.keyboard.press(key)
      assert.deepEqual([await focused('name'), await box('Phone').inputValue()], ['phone', words])
      // A page closes its dialogs and keeps the focus in them.
      assert.deepEqual(await page.evaluate('keys'), ['Tab', 'Escape'])
    })

  test('are hidden when the page hides them, and then catch neither a click nor the focus', async () => {
    const hidden = ['opacity: 0; pointer-events: none', 'visibility: hidden', 'display: none']
    const places = [
      ...hidden.flatMap((style) => [
        one.replace(' ', ` style="${style}" `),
        `<style>.away { ${style.replaceAll(';', ' !important;')} !important }</style>${one.replace(' ', ' class="away" ')}`,
        `<div style="${style}">${one}</div>`,
      ]),
      ...['hidden', 'inert'].flatMap((name) => [one.replace(' ', ` ${name} `), `<div ${name}>${one}</div>`]),
      `<dialog>${one}</dialog>`,
      `<style>@media print { lead-form { display: none } }</style>${one}`,
    ]
    await openPage(script())
    await page.evaluate('customElements.whenDefined("lead-form")')
    for (const html of places) {
      const prints = html.includes('@media print')
      await page.emulateMedia({ media: prints ? 'print' : 'screen' })
      const look = `main.innerHTML = '<a href="#">Book now</a><div style="position: fixed; inset: 0">' + ${JSON.stringify(html)} + '</div>'
        const form = document.querySelector('lead-form'), name = form.shadowRoot.querySelector('input')
        name.focus()
        return [form.checkVisibility({ opacityProperty: true, visibilityProperty: true }), document.activeElement === form, document.elementFromPoint(100, 100) === form]`
      const [isShown, hasFocus, isHit] = await page.evaluate<boolean[]>(
        `(() => { const main = document.querySelector('main'); ${look} })()`,
      )
      if (html.includes('inert')) assert.deepEqual([hasFocus, isHit], [false, false], html)
      else assert.deepEqual([isShown, hasFocus && !html.includes('opacity'), isHit], [false, false, false], html)
    }
  })

  for (const [name, code] of Object.entries(routers))
    test(`keep what was typed in ${name} until it is sent, and then nothing`, {
      skip: skipWithoutOthers('vue'),
    }, async () => {
      const head = `${script()}<script type="module">${bundleOf(code)}</script>`
      allowed.files['/other'] = pageOf('<a href="/page">toggle</a>', head)
      await openPage(`<div id="app"><a href="/other">toggle</a>${one}</div>`, { head })
      await fillQuote(`Away in ${name}.`)
      await page.getByText('toggle').click()
      await quote().waitFor({ state: 'detached' })
      await page.getByText('toggle').click()
      assert.equal(await box('Name').inputValue(), request.Name)
      await page.goto(`${allowed.origin}/page?gclid=1`)
      await box('About your home').focus()
      await page.evaluate("document.querySelector('lead-form').setAttribute('services', 'Windows, Deep clean')")
      await page.keyboard.type(' Sofas')
      assert.equal(await box('About your home').inputValue(), `Away in ${name}. Sofas`)
      assert.equal(await quote().getByLabel('Kind of cleaning').inputValue(), 'Deep clean')
      await quote().getByRole('checkbox').check()
      await deliver()
      assert.doesNotMatch(String(await page.evaluate('Object.keys(sessionStorage)')), /lead-form/)
      await page.evaluate("document.querySelector('lead-form').setAttribute('services', 'Windows')")
      await received()
    })

  test("appear in a div that a page adds later, with their own words where the page's are not text", async () => {
    const wrong = `<lead-form kind="support" texts='{"small": null, "name": ["x"], "email": "Mail"}'>Call us.</lead-form>`
    await openPage(script() + wrong)
    await box('Mail', message()).waitFor()
    await box('Name', message()).waitFor()
    await page.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend', '<div data-lead-form data-kind="quote">Call us.</div>')`,
    )
    await quote().waitFor()
    assert.equal(await page.locator('div[data-lead-form]').getByText('Call us').count(), 0)
  })

  for (const [name, pointer, code] of [
    ['a field of another release', '#/shoes', 'required'],
    ['a field that the service no longer has', '#/bathrooms', 'unknown_field'],
    ['a fault without a text', '#/phone', 'too_new'],
    ['a name of every object', '#/constructor', 'constructor'],
  ] as const)
    test(`say how else to get in touch after ${name}`, async () => {
      const [unknown, known] = [
        { pointer, code },
        { pointer: '#/email', code: 'invalid_email' },
      ]
      answers = [answer(422, { errors: [unknown, known] }), answer(422, { errors: [unknown] })]
      await openForms()
      await fillQuote(name)
      await submit()
      await shown('This could not be sent').waitFor()
      await shown('call (202) 555-0100').waitFor()
      assert.match(String(await page.locator('#quote-email-fault').textContent()), /^Please check the address/)
      await send()
      await shown('This could not be sent').waitFor()
    })

  test('a form that was pasted as HTML still works', async () => {
    const pasted = readFileSync(join(root, 'test/fixtures/pasted-form.html'), 'utf8')
    const [, version = ''] = /"consent-version": "([^"]+)"/.exec(await sample('In Spanish, complete')) ?? []
    allowed.files['/pasted'] = pasted.replaceAll('{{baseUrl}}', service.url).replaceAll('{{wordingVersion}}', version)
    await open(`${allowed.origin}/pasted`)
    // It refuses what is faster than a person.
    await page.clock.runFor(4_000)
    await fillQuote('Pasted last year.')
    assert.equal((await send()).status, 201)
    await page.getByRole('alert').getByText('Thank you. We have your request').waitFor()
  })
})
