import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { openWebsite, pageOf, snippet, type Website } from '../support/website.ts'

/** Orca leaves out events on a busy machine, so its part is for `npm version`, with a person who reads what it said. */
const isRelease = process.env.npm_new_version !== undefined
const speaking = isRelease ? ['firefox-esr', 'orca', 'openbox', 'xdotool'] : []
const programs = ['WebKitWebDriver', 'Xvfb', 'dbus-run-session', ...speaking]
const person = { name: 'Pat Example', phone: '(202) 555-0123', email: 'pat@example.com' }
const request = { ...person, bedrooms: '3', bathrooms: '2', service: 'Deep clean', notes: 'A cottage.' }
const shortcuts = `<script>addEventListener('keydown', (event) => {
  if (!/INPUT|TEXTAREA/.test(event.target.tagName) && '/s '.includes(event.key)) event.preventDefault() })</script>`

/** Scripts for an element in a form of the page, the first or a later one, and for the values of its fields. */
const part = (selector: string, form = 0) =>
  `document.querySelectorAll('lead-form')[${form}].shadowRoot.querySelector('${selector}')`
const setAll = (values: object, form = 0) =>
  Object.entries(values)
    .map(([name, value]) => `${part(`[name=${name}]`, form)}.value = ${JSON.stringify(value)}`)
    .join('; ')

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
    ports = await freePorts(3)
    website = await openWebsite()
    const url = `http://127.0.0.1:${ports[0]}`
    service = await startService({ PORT: `${ports[0]}`, BASE_URL: url, CORS_ORIGINS: website.origin, RATE_LIMIT: '3' })
    website.files['/'] = pageOf(shortcuts + snippet(service.url))
    mkdirSync(join(folder, 'profile'))
    const preferences = {
      'accessibility.force_disabled': -1,
      'browser.shell.checkDefaultBrowser': false,
      'browser.aboutwelcome.enabled': false,
      'termsofuse.bypassNotification': true,
    }
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});\n`)
    writeFileSync(join(folder, 'profile/user.js'), lines.join(''))
    const speak = `openbox &
      /usr/libexec/at-spi-bus-launcher --launch-immediately --a11y=1 --screen-reader=1 &
      orca --debug-file=orca.log &
      firefox-esr --profile profile --no-remote --remote-debugging-port ${ports[1]} ${website.origin} &`
    const script = `Xvfb -displayfd 3 -screen 0 1000x1400x24 -nolisten tcp 3>display &
      until [ -s display ]; do sleep .1; done; export DISPLAY=:$(cat display)
      ${isRelease ? speak : ''}
      WebKitWebDriver --port=${ports[2]} & wait`
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
    test('say each message once to a blind customer with Firefox and Orca, and then the number', async (context) => {
      const heard = () =>
        [...readFileSync(log, 'utf8').matchAll(/SPEECH OUTPUT: '(.*?)' ?\{/g)].map(([, text = '']) => text)
      const says = (text: string) =>
        until(`Orca says ${text}`, () => heard().some((one) => one.includes(text)), { withinMs: 30_000 })
      let socket = new WebSocket('ws://127.0.0.1:9')
      await until(
        'Firefox',
        () =>
          new Promise((resolve) => {
            socket = new WebSocket(`ws://127.0.0.1:${ports[1]}/session`)
            socket.onopen = () => resolve(true)
            socket.onerror = () => resolve(false)
          }),
        { withinMs: 60_000 },
      )
      let id = 0
      // biome-ignore lint/suspicious/noExplicitAny: what Firefox answers
      const answered = new Map<number, (result: any) => void>()
      socket.addEventListener('message', ({ data }) => {
        const { id, result } = JSON.parse(data)
        answered.get(id)?.(result)
      })
      const call = (method: string, params: object) => {
        const own = ++id
        socket.send(JSON.stringify({ id: own, method, params }))
        // biome-ignore lint/suspicious/noExplicitAny: what Firefox answers
        return new Promise<any>((resolve) => answered.set(own, resolve))
      }
      await call('session.new', { capabilities: {} })
      const [{ context: tab }] = (await call('browsingContext.getTree', {})).contexts
      const run = async (expression: string) =>
        (await call('script.evaluate', { expression, target: { context: tab }, awaitPromise: true })).result?.value
      /** As a person does, who hears the button before the press. Orca leaves out what happens sooner. */
      const press = async (form = 0) => {
        await run(`${part('button', form)}.focus()`)
        let [length, sinceMs] = [0, 0]
        await until('Orca ends', () => {
          const now = readFileSync(log).length
          if (now !== length) [length, sinceMs] = [now, performance.now()]
          return performance.now() - sinceMs > 2_000
        })
        const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: '\uE007' }))
        await call('input.performActions', { context: tab, actions: [{ type: 'key', id: 'keys', actions }] })
      }
      const down = () =>
        execFileSync('xdotool', ['key', 'Down'], {
          env: { ...env(), DISPLAY: `:${readFileSync(join(folder, 'display'), 'utf8').trim()}` },
        })
      try {
        await says('A website')
        await run(`customElements.whenDefined('lead-form').then(() => ${part('[name=name]')}.focus())`)
        await says('Name entry required.')
        assert(!heard().includes('invalid entry.'), 'nothing is wrong yet')
        await run(setAll(request))
        await press()
        await says('We need your yes')
        await run(`${part('[type=checkbox]')}.click(); ${part('[data-trap]')}.value = 'x'`)
        await press()
        await says('This could not be sent. Please call (202) 555-0100')
        await run(`${part('[data-trap]')}.value = ''; ${setAll({ phone: '555' })}`)
        await press()
        await says('Please check the number. We can call')
        await run(setAll({ phone: person.phone }))
        await press()
        await says('please give us this number:')
        down()
        await says(String(await run(`${part('.number')}.textContent`)))
        await run(setAll({ ...person, helpWith: 'Windows', message: 'Do you?' }, 1))
        await run(setAll({ phone: '555' }, 1))
        await press(1)
        await until(
          'a second refusal',
          () => heard().filter((one) => one.includes('Please check the number')).length === 2,
        )
        await run(setAll({ phone: '(202) 555-0124' }, 1))
        await press(1)
        await says('We cannot take this yet.')
        const once = heard().filter((one) =>
          /^(Sending|Your request could|Thank you|We cannot take)|give us this number/.test(one),
        )
        assert.deepEqual(
          once.map((one) => one.split(/[.…]/)[0]?.trim()),
          [
            ...[
              'This could not be sent',
              'Sending',
              'Sending',
              'Thank you',
              'Sending',
              'Sending',
              'We cannot take this yet',
            ],
          ],
        )
      } finally {
        context.diagnostic(`Orca said:\n${heard().join('\n')}`)
        socket.close()
      }
    })

  test('keep what is typed in WebKit when the customer comes back, and send it', async () => {
    const driver = async (path: string, body: object) => {
      const answer = await fetch(`http://127.0.0.1:${ports[2]}/session${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      // biome-ignore lint/suspicious/noExplicitAny: what the driver answers
      const { value } = (await answer.json()) as any
      assert.equal(answer.status, 200, JSON.stringify(value))
      return value
    }
    const answers = () =>
      fetch(`http://127.0.0.1:${ports[2]}/status`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until('the driver answers', answers)
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
    await run(
      `${setAll({ ...request, name: 'Jess Sims' })}; ${part('[type=checkbox]')}.click(); ${part('button')}.click()`,
    )
    const id = await until('the receipt', () => run(`return ${part('.number')}?.textContent`))
    assert.match(String(id), /^[0-9a-f-]{36}$/)
  })
})
