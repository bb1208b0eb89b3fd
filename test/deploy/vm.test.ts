import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { problemTable } from '../../src/problem/table.ts'
import { type RunningService, root, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { skipWithout } from '../support/tools.ts'
import { type Caddy, startCaddy } from './caddy.ts'

const exec = promisify(execFile)
const compose = parse(readFileSync(join(root, 'deploy/vm/compose.yaml'), 'utf8'), { merge: true })
const settings: Record<string, string> = Object.fromEntries(
  Object.entries(compose.services['lead-intake'].environment).map(([name, value]) => [
    name,
    String(value).replace(/\$\{DOMAIN:[^}]+\}/, 'leads.cleaning-company.us'),
  ]),
)

suite('one machine: compose.yaml', () => {
  test('publishes only Caddy: every other listener is on loopback', () => {
    for (const service of Object.values(compose.services) as Record<string, unknown>[]) {
      assert.equal(service.network_mode, 'host')
      assert.deepEqual([service.ports, service.cap_drop, service.read_only], [undefined, ['ALL'], true])
    }
    const { HOST, INTERNAL_HOST, OPS_HOST } = settings
    assert.deepEqual([HOST, INTERNAL_HOST, OPS_HOST], ['127.0.0.1', '127.0.0.1', '127.0.0.1'])
  })

  test('starts with the example settings only after the business and the keys are filled in', () => {
    const lines = readFileSync(join(root, 'deploy/vm/service.example.env'), 'utf8').split('\n')
    const example = Object.fromEntries(
      lines
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    assert.throws(() => readConfig({ ...example, ...settings }), /BUSINESS_PHONE/)
    const filled = Object.entries(example).map(([name, value]) => [name, value || 'a'.repeat(64)])
    const own = { BUSINESS_PHONE: '(212) 736-5000', BUSINESS_EMAIL: 'office@cleaning-company.us' }
    const config = readConfig({ ...Object.fromEntries(filled), ...own, ...settings })
    assert.equal(config.baseUrl, 'https://leads.cleaning-company.us')
  })
})

const skip = skipWithout('caddy', 'curl')

suite('one machine: Caddy before the service', { skip }, () => {
  let service: RunningService
  let caddy: Caddy
  let lonely: Caddy
  /** Caddy waits half a minute for a service, so this goes on beside the tests. */
  let unanswered: ReturnType<Caddy['ask']>
  before(async () => {
    const { HOST: _, BASE_URL: __, ...rest } = settings
    service = await runService({ ...rest, TEST_LEADS: 'accept' })
    caddy = await startCaddy(new URL(service.url).host)
    lonely = await startCaddy('127.0.0.1:1')
    unanswered = lonely.ask('/api/v1/leads', { method: 'POST', body: JSON.stringify(quote) })
  })
  after(async () => {
    await caddy?.[Symbol.asyncDispose]()
    await lonely?.[Symbol.asyncDispose]()
    await service?.dispose()
  })
  let sent = 0
  const submit = (from: string, headers: Record<string, string> = {}) =>
    caddy.ask('/api/v1/leads', {
      method: 'POST',
      body: JSON.stringify({ ...quote, notes: `${from} ${sent++}` }),
      from,
      headers,
    })

  test('serves TLS for the service, and redirects plain HTTP to it', async () => {
    const { status, headers, text } = await caddy.ask('/api/v1')
    assert.deepEqual([status, JSON.parse(text).status], [200, 'operational'])
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
    const plain = await fetch(`${caddy.httpUrl}/api/v1`, { redirect: 'manual' })
    assert.equal(plain.status, 308)
    assert.equal(plain.headers.get('location'), `https://localhost/api/v1`)
  })

  test('applies the limit per customer, whatever X-Forwarded-For the customer sends', async () => {
    for (let i = 0; i < 10; i++) {
      assert.equal((await submit('127.0.0.2', { 'X-Forwarded-For': `192.0.2.${i}` })).status, 201)
    }
    assert.equal((await submit('127.0.0.2', { 'X-Forwarded-For': '192.0.2.99' })).status, 429)
    const other = await submit('127.0.0.3')
    assert.deepEqual([other.status, other.headers['ratelimit-remaining']], [201, '9'])
    const ready = await fetch(`${service.opsUrl}/readyz?verbose`)
    assert.doesNotMatch(await ready.text(), /X-Forwarded-For/i)
  })

  test('exposes no inbox, metrics or probes', async () => {
    const paths = [
      '/leadintake.v1.LeadInboxService/ListLeads',
      '/grpc.health.v1.Health/Check',
      '/metrics',
      '/readyz',
      '/livez',
    ]
    for (const path of paths) {
      assert.equal((await caddy.ask(path, { method: 'POST', body: '{}' })).status, 404, path)
      assert.equal((await caddy.ask(path)).status, 404, path)
    }
  })

  test('serves the website on the same origin with its folders, and no hidden files', async () => {
    assert.match(String((await caddy.ask('/')).headers.location), /\/developers$/, 'no website yet')
    mkdirSync(join(caddy.site, 'about'))
    mkdirSync(join(caddy.site, 'api'))
    for (const file of ['index.html', 'about/index.html', '.secret', 'api/v1'])
      writeFileSync(join(caddy.site, file), `page ${file}`)
    assert.equal((await caddy.ask('/')).text, 'page index.html')
    assert.equal((await caddy.ask('/about/')).text, 'page about/index.html')
    assert.equal((await caddy.ask('/about')).headers.location, '/about/')
    assert.equal((await caddy.ask('/.secret')).status, 404)
    assert.equal(JSON.parse((await caddy.ask('/api/v1')).text).status, 'operational', 'no file hides the API')
    assert.equal((await caddy.ask('/developers')).status, 200)
    const form = await submit('127.0.0.4', { Origin: `https://${caddy.host}`, 'Sec-Fetch-Site': 'same-origin' })
    assert.equal(form.status, 201)
  })

  test('passes the check from outside, which fails when a port is open', async () => {
    const env = { ...process.env, CURL_CA_BUNDLE: caddy.caFile }
    const check = (host: string, ports: string) =>
      exec('deploy/vm/check', [host], { cwd: root, env: { ...env, CLOSED_PORTS: ports } })
    const open = new URL(service.internalUrl).port
    const failed = await check(caddy.host, open).then(
      () => assert.fail('the port is open'),
      ({ code, stdout }) => ({ code, stdout: String(stdout) }),
    )
    assert.equal(failed.code, 1)
    const wrong = failed.stdout.split('\n').filter((line) => line.startsWith('WRONG'))
    // In this test, links use the service's own origin.
    const named = wrong.map((line) => line.split(': ')[0])
    assert.deepEqual(named, ['WRONG its links name this host', `WRONG port ${open} is closed`], failed.stdout)
    for (const line of wrong) assert.match(line, /: \S.{10}/)
  })

  test('makes callers wait while the service restarts, and loses no lead', async () => {
    const env = { PORT: new URL(service.url).port, DATABASE_URL: service.databaseUrl }
    service.child.kill('SIGTERM')
    assert.equal(await service.exited, 0)
    const asked = caddy.ask('/api/v1')
    const body = JSON.stringify({ ...quote, notes: 'sent during an update' })
    const submission = { method: 'POST', body, from: '127.0.0.5' }
    const sent = caddy.ask('/api/v1/leads', submission)
    const next = await runService({ ...settings, ...env, BASE_URL: 'http://localhost', TEST_LEADS: 'accept' })
    try {
      assert.equal((await asked).status, 200)
      // Before 2.11.2, Caddy loses the body of a submission when it retries, and answers 503.
      const { status, headers, text } = await sent
      if (status !== 201) assert.deepEqual([status, headers['retry-after']], [503, '5'], text)
      assert.equal((await caddy.ask('/api/v1/leads', submission)).status, status === 201 ? 200 : 201)
    } finally {
      next.signal('SIGTERM')
      assert.equal(await next.exited, 0)
      await next.dispose()
    }
  })

  test("answers with the service's problem document when the service does not come back", async () => {
    const { status, headers, text } = await unanswered
    const { title, detail, hint, retryable, retry } = problemTable.service_unavailable
    const { type, instance, ...problem } = JSON.parse(text)
    // Caddy does not know the phone of the business.
    const told = hint.replace('{{phone}}', 'the business')
    const words = { title, status: 503, detail, code: 'service_unavailable', hint: told, retryable, retry }
    assert.deepEqual(problem, { ...words, retryAfterSeconds: 5, error: detail })
    assert.deepEqual([status, headers['content-type'], headers['retry-after']], [503, 'application/problem+json', '5'])
    assert.equal(type, 'https://localhost/problems/service_unavailable')
    assert.equal(instance, `urn:uuid:${headers['x-request-id']}`)
  })
})
