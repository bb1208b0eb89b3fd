import { type Browser, chromium } from 'playwright-core'
import { skipWithoutFile } from './tools.ts'

/** Debian's Chromium, unless the variable names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** For a test's `skip`: the page tests need a real browser. */
export const skipWithoutBrowser = skipWithoutFile(executablePath, 'install Chromium, or set CHROMIUM_PATH')

/** Starts the browser without background network requests. */
export function launchBrowser(): Promise<Browser> {
  const off = ['gpu', 'quic', 'background-networking', 'component-update', 'sync'].map((what) => `--disable-${what}`)
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--no-first-run', ...off] })
}
