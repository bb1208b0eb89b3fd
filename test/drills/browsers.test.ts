import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { post } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { openWebsite, pageOf, snippet, type Website } from '../support/website.ts'

/** Orca takes two minutes, so its part is for `npm version`, with a person who reads what it said. */
const isRelease = process.env.npm_new_version !== undefined
const speaking = isRelease ? ['firefox-esr', 'orca', 'openbox', 'xdotool'] : []
const programs = ['WebKitWebDriver', 'Xvfb', 'dbus-run-session', ...speaking]
const person = { name: 'Pat Example', phone: '(202) 555-0123', email: 'pat@example.com' }
const request = { ...person, bedrooms: '3', bathrooms: '2', service: 'Deep clean', notes: 'A cottage.' }
const shortcuts = `<script>addEventListener('keydown', (event) => {
  if (!/INPUT|TEXTAREA/.test(event.target.tagName) && '/s '.includes(event.key)) event.preventDefault() })</script>`

/** A script for an element in the first form of the page. */
const part = (selector: string) => `document.querySelector('lead-form').shadowRoot.querySelector('${selector}')`

suite('the website forms', { skip: skipWithout(...programs) }, () => {
  const folder = newFolder()
  const log = join(folder, 'orca.log')
  let website: Website
  let service: Service
  let session: ChildProcess
  let ports: number[]
  const env = () => ({
    ...{ PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, GNOME_ACCESSIBILITY: '1', LANG: 'C.UTF-8' },
    // Orca writes down what it says. A speech dispatcher without a sound card would stop it.
    SPEECHD_ADDRESS: 'unix_socket:/nonexistent',
  })
  before(async () => {
    ports = await freePorts(2)
    website = await openWebsite()
    const url = `http://127.0.0.1:${ports[0]}`
    service = await startService({ PORT: `${ports[0]}`, BASE_URL: url, CORS_ORIGINS: website.origin, RATE_LIMIT: '2' })
    website.files['/'] = pageOf(shortcuts + snippet(service.url))
    mkdirSync(join(folder, 'profile'))
    const preferences = {
      'accessibility.force_disabled': -1,
      'browser.shell.checkDefaultBrowser': false,
      'browser.aboutwelcome.enabled': false,
      'termsofuse.bypassNotification': true,
      'datareporting.policy.dataSubmissionPolicyBypassNotification': true,
    }
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});\n`)
    writeFileSync(join(folder, 'profile/user.js'), lines.join(''))
    const settings = join(folder, '.local/share/orca')
    mkdirSync(settings, { recursive: true })
    const quiet = { enableKeyEcho: false, pronunciations: {}, keybindings: {} }
    const profiles = { default: { profile: ['Default', 'default'], ...quiet } }
    writeFileSync(join(settings, 'user-settings.conf'), JSON.stringify({ general: quiet, profiles, ...quiet }))
    // With --debug-file, the last lines wait in a buffer.
    const writeDown = `from orca import debug
debug.debugLevel, debug.debugFile = debug.LEVEL_INFO, open('orca.log', 'w', buffering=1)`
    writeFileSync(join(settings, 'orca-customizations.py'), writeDown)
    const speak = `openbox &
      /usr/libexec/at-spi-bus-launcher --launch-immediately --a11y=1 --screen-reader=1 &
      orca &
      firefox-esr --profile profile --no-remote '${website.origin}/?service=Deep%20clean' &`
    const script = `Xvfb -displayfd 3 -screen 0 1000x1400x24 -nolisten tcp 3>display &
      until [ -s display ]; do sleep .1; done; export DISPLAY=:$(cat display)
      ${isRelease ? speak : ''}
      WebKitWebDriver --port=${ports[1]} & wait`
    session = spawn('dbus-run-session', ['--', 'sh', '-c', script], {
      cwd: folder,
      env: env(),
      stdio: 'ignore',
      detached: true,
    })
  })
  after(async () => {
    process.kill(-Number(session.pid), 'SIGKILL')
    await service.stop()
    website.server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  if (isRelease)
    test("say each message once to a blind customer with Firefox and Orca, and then the receipt's number", async (context) => {
      const heard = () =>
        [...readFileSync(log, 'utf8').matchAll(/SPEECH OUTPUT: '(.*?)' ?\{/g)].map(([, text = '']) => text)
      const display = () => `:${readFileSync(join(folder, 'display'), 'utf8').trim()}`
      const use = (...keys: string[]) => execFileSync('xdotool', keys, { env: { ...env(), DISPLAY: display() } })
      const write = (text: string) => use('type', '--delay', '50', text)
      /** As a person does, who waits until Orca has said this, and ends. Returns what it said. */
      const press = async (key: string, text: string) => {
        const before = heard().length
        use('key', key)
        let [said, length, sinceMs] = ['', 0, 0]
        const ends = () => {
          said = heard().slice(before).join('\n')
          const now = readFileSync(log).length
          if (now !== length) [length, sinceMs] = [now, performance.now()]
          return said.includes(text) && performance.now() - sinceMs > 2_000
        }
        await until(`Orca says "${text}" after ${key}`, ends, { withinMs: 30_000 })
        return said
      }
      const fill = async (...texts: string[]) => {
        let said = ''
        for (const text of texts) {
          if (text) write(text)
          said += await press('Tab', ' ')
        }
        return said
      }
      const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/
      const { name, phone, email } = person
      try {
        await until('Orca reads the page', () => heard().some((one) => one.startsWith('Page has')), {
          withinMs: 60_000,
        })
        await press('Tab', 'Name entry required.')
        let said = await fill('', phone, email, '3', '2', '', 'A cottage.')
        assert.doesNotMatch(said, /invalid/)
        while (!said.includes('check box')) said = await press('Tab', '.')
        await press('Return', 'What is your name?')
        write(name)
        await press('Return', 'Please tick this')
        // The focus stays.
        await press('Return', 'Please tick this')
        await press('space', 'checked')
        for (const text of ['About your home', 'combo box', 'Bathrooms']) await press('shift+Tab', text)
        // Sent by Enter in a field.
        assert.doesNotMatch(await press('Return', 'Thank you'), uuid)
        assert.match(await press('Down', '-'), uuid)
        while (!said.includes('Name entry')) said = await press('Tab', '.')
        said = await fill(name, '555', email, 'Windows', 'Do you?')
        assert.doesNotMatch(said, /invalid/, 'nothing is wrong yet')
        while (!said.includes('push button')) said = await press('Tab', '.')
        await press('Return', 'Please check the number')
        use('key', 'ctrl+a')
        write(phone)
        await press('Return', 'We cannot take this yet')
        assert.doesNotMatch(await press('Down', ''), /Thank you/, 'the receipt of the other form')
        const messages = heard().flatMap((one) => /^(Sending|Thank you|We cannot take)/.exec(one)?.[0] ?? [])
        assert.deepEqual(messages, ['Sending', 'Thank you', 'Sending', 'Sending', 'We cannot take'])
      } finally {
        context.diagnostic(`Orca said:\n${heard().join('\n')}`)
      }
    })

  test('keep what is typed in WebKit when the customer comes back, and send it', async () => {
    const driver = async (path: string, body: object) => {
      const { status, json } = await post(`http://127.0.0.1:${ports[1]}/session`, body, { path })
      assert.equal(status, 200, JSON.stringify(json))
      // biome-ignore lint/suspicious/noExplicitAny: what the driver answers
      return json.value as any
    }
    await until('the driver answers', async () => (await fetch(`http://127.0.0.1:${ports[1]}/status`)).ok)
    const binary = globSync('/usr/lib/*/webkit2gtk-4*/MiniBrowser')[0]
    const options = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }
    const { sessionId } = await driver('', { capabilities: { alwaysMatch: options } })
    const run = (script: string) => driver(`/${sessionId}/execute/sync`, { script, args: [] })
    const type = async (name: string, text: string) => {
      const element = Object.values(await run(`return ${part(`[name=${name}]`)}`))[0]
      await driver(`/${sessionId}/element/${element}/value`, { text })
    }
    const isThere = () => run("return !!document.querySelector('lead-form')?.shadowRoot")
    await driver(`/${sessionId}/url`, { url: `${website.origin}/` })
    await until('the form', isThere)
    const words = 'Jess Sims, 2 sofas and/or stairs'
    for (const [name, text] of Object.entries({ name: 'Jess Sims', notes: words, email: request.email }))
      await type(name, text)
    await driver(`/${sessionId}/url`, { url: `${website.origin}/?other` })
    await driver(`/${sessionId}/back`, {})
    await until('the form', isThere)
    assert.deepEqual(
      await run(`return ['name', 'notes', 'email'].map((name) => ${part('form')}.elements[name].value)`),
      ['Jess Sims', words, request.email],
    )
    for (const [name, value] of Object.entries({ ...request, name: 'Jess Sims' }))
      await run(`${part(`[name=${name}]`)}.value = ${JSON.stringify(value)}`)
    await run(`${part('[type=checkbox]')}.click(); ${part('button')}.click()`)
    const id = await until('the receipt', () => run(`return ${part('.number')}?.textContent`))
    assert.match(String(id), /^[0-9a-f-]{36}$/)
  })
})
