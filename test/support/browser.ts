import { type Browser, chromium } from 'playwright-core'
import { skipWithoutFile } from './tools.ts'

/** Debian's Chromium, unless the variable names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** For a test's `skip`: the page tests need a real browser. */
export const skipWithoutBrowser: string | false = skipWithoutFile(
  executablePath,
  'install Chromium, or set CHROMIUM_PATH',
)

/** Starts the browser without background network requests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
