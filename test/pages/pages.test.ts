import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { problemCodes } from '../../src/problem/table.ts'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const paths = [
  '/developers',
  '/api-docs',
  '/terms',
  '/privacy',
  '/website-forms',
  '/problems',
  ...problemCodes.map((code) => `/problems/${code}`),
]
/** Problem pages share one layout, so one of them is enough for axe and for wide screens. */
const isAlike = (path: string) => path.startsWith('/problems/') && path !== `/problems/${problemCodes[0]}`
const colorSchemes = ['light', 'dark'] as const

suite('the pages in Chromium', { skip: skipWithoutBrowser }, () => {
  let service: Service
  let browser: Browser
  before(async () => {
    service = await startService()
    browser = await launchBrowser()
  })
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
  after(async () => {
    await browser.close()
    await service.stop()
  })

  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  /**
   * All axe rules in the first color scheme. In the second, only the rules about colors, because nothing else differs.
   */
  const violations = (page: Page, colorScheme: string) =>
    page.evaluate<unknown[]>(`axe.run({
      resultTypes: ['violations'],
      ...(${colorScheme !== colorSchemes[0]} && { runOnly: ['cat.color'] }),
    }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`)

  test('are readable and accessible on every screen, light and dark: no overflow, no error, no violation', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`))
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) complaints.push(`foreign: ${request.url()}`)
    })
    await page.addInitScript(
      "document.addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))",
    )
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(service.url + path)
      await page.evaluate(axe.source)
      for (const width of isAlike(path) ? [320] : [320, 800, 1600, 390, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        assert.equal(await overflow(page), 0, `${path} is wider than ${width}`)
        if (![390, 1280].includes(width)) continue
        for (const colorScheme of colorSchemes) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await violations(page, colorScheme), [], `${path}, ${width}, ${colorScheme}`)
        }
      }
    }
    assert.deepEqual(complaints, [])
  })

  test('can be used with the keyboard: the first stop is the skip link, and scrollable parts are reachable', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${service.url}/api-docs`)
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate<string>('document.activeElement.outerHTML.slice(0, 60)')
    assert.match(await focused(), /^<a class="skip"/)
    assert(await page.evaluate<boolean>('document.activeElement.getBoundingClientRect().top >= 0'))
    await page.keyboard.press('Enter')
    assert.match(await focused(), /^<main id="main"/)
    const unreachable = await page.evaluate<number>(
      "[...document.querySelectorAll('pre')].filter((pre) => pre.scrollWidth > pre.clientWidth && pre.tabIndex !== 0).length",
    )
    assert.equal(unreachable, 0)
  })

  test("switch a sample's language without JavaScript, by mouse and keyboard", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.url}/api-docs`)
    const sample = (text: string) => page.locator('details pre', { hasText: text }).first()
    const languages = page.locator('summary')
    assert(await sample('curl -i').isVisible())
    await languages.filter({ hasText: 'Python' }).first().click()
    assert(await sample('from urllib.request').isVisible())
    assert(!(await sample('curl -i').isVisible()))
    await page.keyboard.press('Tab')
    await languages.filter({ hasText: 'WordPress' }).first().press('Enter')
    assert(await sample('wp_remote_post').isVisible())
    assert(!(await sample('from urllib.request').isVisible()))
  })

  test('copy a sample unchanged, and say so', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${service.url}/developers`)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(copied, await page.locator('pre').first().textContent())
    assert.equal(JSON.parse(/\{[\s\S]*\}/.exec(copied)?.[0] ?? '').name, "YOUR CUSTOMER'S NAME")
  })

  test('show the first request without scrolling, next to the text from 1,200 pixels on', async () => {
    for (const [width, height] of [
      [1200, 800],
      [390, 844],
    ] as const) {
      const page = await browser.newPage({ viewport: { width, height } })
      await page.goto(`${service.url}/developers`)
      const box = await page.locator('.intro pre').boundingBox()
      const title = await page.locator('h1').boundingBox()
      assert(box && title && box.y + (width > 1000 ? box.height : 150) < height, `${width}: ${JSON.stringify(box)}`)
      assert.equal(box.x > title.x + 300, width === 1200)
      await page.close()
    }
  })

  test('highlight the current section in the contents, which follow the heading on a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${service.url}/api-docs#limits`)
    // `waitForFunction` evaluates again in the page, where the Content-Security-Policy forbids it.
    const isBold = `[...document.querySelectorAll('.toc > ul > li > a')].map((link) => getComputedStyle(link).fontWeight === '600' ? link.textContent : '').join('') === 'Limits'`
    await until('the section is highlighted', () => page.evaluate<boolean>(isBold))
    const parts = page.locator('.toc ul ul')
    await parts.filter({ visible: true }).first().waitFor()
    assert.equal(await parts.filter({ visible: true }).count(), 1, 'only the chapter in view shows its parts')
    await page.setViewportSize({ width: 390, height: 844 })
    const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0
    assert((await top('h1')) < (await top('.toc')) && (await top('.toc')) < (await top('#quickstart')))
  })

  test('cut off no code on screen or paper, and print in light colors with all languages', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
    for (const path of ['/api-docs', '/developers', '/problems/validation_failed']) {
      await page.goto(service.url + path)
      for (const media of ['screen', 'print'] as const) {
        await page.emulateMedia({ media })
        const cut = await page.evaluate<number>(
          "[...document.querySelectorAll('pre, code, td')].filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== 'inline').length",
        )
        assert.equal(cut, 0, `${path} on ${media}`)
      }
      const background = await page.evaluate<string>(
        "getComputedStyle(document.querySelector('.code')).backgroundColor",
      )
      assert.equal(background, 'rgb(255, 255, 255)')
      const hidden = await page.evaluate<number>(
        "[...document.querySelectorAll('pre')].filter((pre) => pre.getClientRects().length === 0).length",
      )
      assert.equal(hidden, 0, path)
    }
  })
})
