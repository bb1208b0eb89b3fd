import { type Browser, chromium } from 'playwright-core'
import { skipWithoutFile } from './tools.ts'

/** Debian's Chromium; the variable names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** For a test's `skip`: the pages are looked at in a real browser. */
export const skipWithoutBrowser: string | false = skipWithoutFile(
  executablePath,
  'install Chromium, or set CHROMIUM_PATH',
)

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
