import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { pagePaths } from '../../src/site/documents.ts'
import { closePages, launchBrowser, overflowOf, skipWithoutBrowser, violationsOf } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'

/** One page of a problem stands for the others, which have the same parts. */
const paths = pagePaths.filter((path) => !path.startsWith('/problems/')).concat('/problems/validation_failed')

suite('the pages in Chromium', { skip: skipWithoutBrowser }, () => {
  let service: Service
  let browser: Browser
  before(async () => {
    service = await startService()
    browser = await launchBrowser()
  })
  afterEach((context) => closePages(browser, context))
  after(async () => {
    await browser.close()
    await service.stop()
  })

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
      for (const width of [320, 800, 1600, 390, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        assert.equal(await overflowOf(page), 0, `${path} is wider than ${width}`)
        if (width === 390) assert.deepEqual(await violationsOf(page), [], `${path} on a phone`)
      }
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await violationsOf(page, 'html', { runOnly: ['cat.color'] }), [], `${path} in dark colors`)
    }
    assert.deepEqual(complaints, [])
    await page.setViewportSize({ width: 320, height: 900 })
    for (const path of pagePaths.filter((path) => !paths.includes(path))) {
      await page.goto(service.url + path)
      assert.equal(await overflowOf(page), 0, path)
    }
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
    const isStuck = '(box) => box.scrollWidth > box.clientWidth && box.tabIndex !== 0'
    assert.equal(await page.evaluate(`[...document.querySelectorAll('pre')].some(${isStuck})`), false)
  })

  test('copy a sample unchanged, and say so; a script on any document can send it', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${service.url}/developers`)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(copied, await page.locator('pre').first().textContent())
    const [body = ''] = /\{[\s\S]*\}/.exec(copied) ?? []
    assert.equal(JSON.parse(body).name, "YOUR CUSTOMER'S NAME")
    const init = JSON.stringify({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    for (const path of ['/developers', '/llms.txt', '/openapi.json']) {
      await page.goto(service.url + path)
      assert.equal(await page.evaluate(`fetch('/api/v1/leads', ${init}).then(({ status }) => status)`), 422, path)
    }
  })

  test('show the owner of a website the forms, which cannot be used there', async () => {
    const page = await browser.newPage()
    await page.goto(service.url)
    await page.getByRole('banner').getByRole('link', { name: 'Website forms' }).click()
    for (const title of ['Ask for a quote', 'Write to us'])
      await page.locator(`.preview[inert] form[aria-label="${title}"]`).waitFor()
  })
})
