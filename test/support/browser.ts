import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { skipWithoutFile } from './machine.ts'

/** Debian's Chromium, unless the variable names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** For a test's `skip`: the page tests need a real browser. */
export const skipWithoutBrowser = skipWithoutFile(executablePath, 'install Chromium, or set CHROMIUM_PATH')

/** Starts the browser without background network requests. */
export function launchBrowser(): Promise<Browser> {
  const off = ['gpu', 'quic', 'background-networking', 'component-update', 'sync'].map((what) => `--disable-${what}`)
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--no-first-run', ...off] })
}

/** Closes the pages of a test. If it failed, it says what they showed. */
export async function closePages(browser: Browser, { passed }: { passed: boolean }): Promise<void> {
  const pages = passed ? [] : browser.contexts().flatMap((context) => context.pages())
  for (const page of pages) console.log(`${page.url()} showed:\n${await page.ariaSnapshot().catch(String)}`)
  await Promise.all(browser.contexts().map((context) => context.close()))
}

/** WCAG 2.2 has this rule, which axe leaves out. */
const targets = { rules: { 'target-size': { enabled: true } } }

/** What axe finds on a page or in a part of it, as rules with what they found. */
export async function violationsOf(page: Page, part = 'html', options: object = targets): Promise<unknown[]> {
  await page.evaluate(axe.source)
  return await page.evaluate(`axe.run('${part}', ${JSON.stringify(options)})
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`)
}

/** How many pixels a page is wider than its window. */
export const overflowOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
