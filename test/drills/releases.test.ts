// A field goes out by the recipe of CONTRIBUTING: this release, one that accepts it, one that shows it, and back.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertStored, postgresUrl, readContents, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { buildPrograms, createConsumer, mailHome, type Program, skipWithoutExamples } from '../support/consumers.ts'
import { get } from '../support/http.ts'
import { startLoad } from '../support/load.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { type RunningService, root, runProgram, runService, serviceCommand } from '../support/service.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { until } from '../support/until.ts'
import { openWebsite, pageOf, snippet } from '../support/website.ts'
import { startTcpProxy } from './tcp-proxy.ts'

type Changes = Record<string, (text: string) => string>

/** Adds to the end of the list of migrations. */
const migrate = (text: string) =>
  text.replace(/\]\n$/, `  { name: 'drill', sql: 'ALTER TABLE write_probe ADD COLUMN drill text' },\n]\n`)

const acceptField: Changes = {
  'proto/leadintake/v1/lead.proto': (text) =>
    text.replace(
      '}\n\n// ContactMessage',
      '  // Of the drill.\n  optional string drill = 999 [(buf.validate.field).string.max_len = 200, (unannounced) = true];\n$&',
    ),
  'src/store/postgres/migrations.ts': migrate,
  'src/store/sqlite/database.ts': migrate,
}

const showField: Changes = {
  'proto/leadintake/v1/lead.proto': (text) => text.replace(', (unannounced) = true', ''),
  'scripts/generate/facts/examples.ts': (text) => text.replace(/ {4}notes: /, `    drill: 'In the street',\n$&`),
  'src/site/form/fields.ts': (text) =>
    text.replace("'notes'", "'drill', 'notes'").replace('  notes: {', "  drill: { tag: 'input' },\n$&"),
  'src/site/form/texts.json': (text) => text.replace('{', '{ "drill": "Drill (optional)",'),
}

/** Builds a release with these changes, and returns the command that runs it. */
async function build(changes: readonly Changes[]): Promise<string[]> {
  const folder = newFolder()
  const isSource = (path: string) => !['node_modules', '.git', 'dist', 'data'].includes(basename(path))
  cpSync(root, folder, { recursive: true, filter: isSource })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, change] of changes.flatMap(Object.entries<Changes[string]>)) {
    const before = readFileSync(join(folder, file), 'utf8')
    assert.notEqual(change(before), before, file)
    writeFileSync(join(folder, file), change(before))
  }
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  const script = `buf generate && "${process.execPath}" scripts/generate.ts && "${process.execPath}" scripts/build.ts`
  const { code, stderr } = await runProgram('sh', ['-ec', script], { cwd: folder, env })
  assert.equal(code, 0, stderr)
  return [process.execPath, join(folder, 'dist/main.js')]
}

const builds = Promise.all([build([acceptField]), build([acceptField, showField])])
builds.catch(() => {})

/** The way there and back, each a step of one release. */
async function* itinerary() {
  const [accepting, showing] = await builds
  for (const command of [accepting, showing, accepting, serviceCommand]) yield { command, shows: command === showing }
}

/** Attaches the consumers of examples/ to the inbox at a port. Returns the leads each has, one id per copy or mail. */
async function attach(stack: AsyncDisposableStack, programs: readonly Program[], port: number) {
  const smtp = stack.use(await startSmtpServer())
  const folder = newFolder()
  const mail = { language: 'mail', command: [process.execPath, join(mailHome, 'main.ts')] }
  const settings = {
    ...{ INBOX_URL: `http://127.0.0.1:${port}`, STATE_FILE: join(folder, 'mail.db') },
    ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'leads@example.com', MAIL_TO: 'office@example.com' },
  }
  const copying = programs.map((program) => createConsumer(program, folder, port))
  for (const consumer of [...copying, createConsumer(mail, folder, port, settings)]) {
    stack.defer(consumer.kill)
    consumer.start()
  }
  return () =>
    new Map([
      ...copying.map(({ language, copies }) => [language, [...copies().keys()]] as const),
      ['mail', smtp.mails.map(({ headers }) => String(headers.get('message-id')).slice(1, 37))],
    ])
}

/** Nothing acknowledged is missing, doubled or made up, here and at each consumer. */
async function assertLedger(
  acknowledged: readonly string[],
  databaseUrl: string,
  held: () => Map<string, readonly string[]>,
) {
  const contents = await readContents(databaseUrl)
  assertStored(acknowledged, contents)
  assert.equal(contents.distinct, contents.leads.length, 'a lead was stored twice')
  const all = acknowledged.toSorted()
  assert.deepEqual(contents.leads.toSorted(), all, 'stored, and never acknowledged')
  const haveAll = () => [...held().values()].every((ids) => ids.length >= all.length)
  await until('each consumer has every lead', haveAll, { withinMs: 60_000, everyMs: 200 }).catch(() => {})
  for (const [consumer, ids] of held()) assert.deepEqual(ids.toSorted(), all, consumer)
}

/** Fills the form, and returns whether it has the new field. */
async function fillForm(page: Page, about: string): Promise<boolean> {
  const form = page.getByRole('form', { name: 'Ask for a quote' })
  const person = { Name: 'Pat Example', Phone: '(202) 555-0123', 'E-mail': 'pat@example.com' }
  for (const [name, value] of Object.entries({ ...person, Bedrooms: '3', Bathrooms: '2', 'About your home': about }))
    await form.getByRole('textbox', { name, exact: true }).fill(value)
  await form.getByLabel('Kind of cleaning').selectOption('Deep clean')
  const drill = form.getByRole('textbox', { name: 'Drill (optional)' })
  const hasDrill = (await drill.count()) > 0
  if (hasDrill) await drill.fill('In the street')
  await form.getByRole('checkbox').check()
  return hasDrill
}

const skip = skipWithoutEngine || skipWithoutBrowser || skipWithout('nginx') || skipWithoutExamples
suite('a release that accepts a field and one that shows it', { skip, timeout: 300_000 }, () => {
  let programs: Program[]
  before(async () => {
    // That in Java only submits.
    programs = buildPrograms(newFolder(), ['typescript', 'python', 'go', 'php'])
    await builds
  })

  test('lose nothing there and back, replica by replica behind nginx, with a form and all consumers', async () => {
    await using stack = new AsyncDisposableStack()
    const [port = 0] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const website = await openWebsite()
    stack.defer(() => void website.server.close())
    const databaseUrl = await postgresUrl()
    const env = {
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: await redisUrl(), REPLICAS: '3', DRAIN_SECONDS: '1' },
      ...{ BASE_URL: url, CORS_ORIGINS: website.origin, LOG_LEVEL: 'warn', RATE_LIMIT: '100000' },
    }
    const start = async (command: string[]) => stack.use(await runService(env, command))
    const replicas: RunningService[] = []
    for (let number = 0; number < 3; number++) replicas.push(await start(serviceCommand))

    const folder = newFolder()
    const file = join(folder, 'nginx.conf')
    const configure = () => {
      const servers = replicas.map((replica) => `server ${new URL(replica.url).host};`).join(' ')
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/t;`,
      )
      writeFileSync(
        file,
        `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1; events {} http { access_log off; keepalive_timeout 0; ${temporary.join(' ')}
        upstream replicas { ${servers} } server { listen 127.0.0.1:${port}; location / { proxy_pass http://replicas;
        proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; } } }`,
      )
    }
    configure()
    const nginx = spawn('nginx', ['-e', 'stderr', '-c', file], { stdio: 'ignore' })
    stack.defer(async () => void (nginx.kill() && (await once(nginx, 'exit'))))
    await until('nginx answers', async () => (await get(`${url}/api/v1`)).status === 200)

    const browser = await launchBrowser()
    stack.defer(() => browser.close())
    website.files['/'] = pageOf(snippet(url))
    const forms: string[] = []
    let isShown = false
    const openForm = async () => {
      const page = await browser.newPage()
      await page.goto(website.origin)
      assert.equal(await fillForm(page, `Form ${forms.length}`), isShown)
      return page
    }
    const sendForm = async (page: Page) => {
      const answered = page.waitForResponse((one) => one.request().method() === 'POST')
      await page.getByRole('form', { name: 'Ask for a quote' }).getByRole('button').click()
      const answer = await answered
      assert.equal(answer.status(), 201, await answer.text())
      forms.push(((await answer.json()) as { id: string }).id)
      await page.close()
    }

    let connections = 0
    const next = () => replicas[connections++ % replicas.length] as RunningService
    const inbox = stack.use(await startTcpProxy(() => Number(new URL(next().internalUrl).port)))
    const held = await attach(stack, programs, inbox.port)
    const load = startLoad([url], { connections: 8, perSecond: 20 })
    const documents = async () => (await get(`${url}/openapi.json`)).text + (await get(`${url}/llms.txt`)).text
    try {
      for await (const { command, shows } of itinerary()) {
        const earlier = await openForm()
        for (const [index, old] of replicas.entries()) {
          replicas[index] = await start(command)
          configure()
          nginx.kill('SIGHUP')
          old.signal('SIGTERM')
          assert.equal(await old.exited, 0, old.output())
        }
        // A page that a customer opened before the roll.
        await sendForm(earlier)
        await load.proceeds()
        isShown = shows
        assert.equal((await documents()).includes('"drill"'), isShown)
      }
    } finally {
      await load.stop()
    }
    assert.deepEqual([...load.ledger.others], [], 'refusals')
    await assertLedger([...load.ledger.acknowledged, ...forms], databaseUrl, held)
  })

  test('lose nothing there and back on SQLite, restart by restart, with all consumers', async () => {
    await using stack = new AsyncDisposableStack()
    const [PORT, INTERNAL_PORT, OPS_PORT] = (await freePorts(3)).map(String) as [string, string, string]
    const DATABASE_URL = `sqlite:${join(newFolder(), 'leads.db')}`
    const env = { PORT, INTERNAL_PORT, OPS_PORT, DATABASE_URL, RATE_LIMIT: '100000', LOG_LEVEL: 'warn' }
    let service = stack.use(await runService(env))
    const held = await attach(stack, programs, Number(INTERNAL_PORT))
    const load = startLoad([service.url], { connections: 8, perSecond: 20 })
    try {
      for await (const { command } of itinerary()) {
        await load.proceeds()
        service.signal('SIGTERM')
        assert.equal(await service.exited, 0, service.output())
        service = stack.use(await runService(env, command))
      }
      await load.proceeds()
    } finally {
      await load.stop()
    }
    // While it is away.
    load.ledger.others.delete('error')
    load.ledger.others.delete('503')
    assert.deepEqual([...load.ledger.others], [], 'refusals')
    await assertLedger(load.ledger.acknowledged, DATABASE_URL, held)
  })
})
