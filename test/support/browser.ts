import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's Chromium; the variable names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** For a test's `skip`: a reason where there is no browser; false where there is one, and always in CI. */
export const skipWithoutBrowser: string | false =
  process.env.CI || existsSync(executablePath)
    ? false
    : `needs Chromium at ${executablePath}: install it, or set CHROMIUM_PATH`

if (skipWithoutBrowser) console.error(`\n*** Every test of the pages is SKIPPED: it ${skipWithoutBrowser}. ***\n`)

/** Starts the browser; it calls nobody by itself. */
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
