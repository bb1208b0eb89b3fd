import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { stringify } from 'yaml'
import { skipWithoutEngine } from '../support/backends.ts'
import { buildServiceImage } from '../support/container.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { execute, root, runProgram } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const given = join(root, 'deploy/vm')
const skip = skipWithoutEngine || skipWithout('caddy', 'curl', 'docker-compose')

/** deploy/vm/compose.yaml, with other ports, without journald, and with Debian's Caddy, which is its own CA. */
suite('one machine', { skip }, () => {
  const folder = newFolder()
  const project = `vm-${process.pid}`
  const here = (name: string) => join(folder, name)
  const caddyImage = `localhost/${project}-caddy`
  let [http, https, open, internal, ops]: number[] = []
  const compose = (...args: string[]) =>
    execute('docker-compose', ['-p', project, '-f', 'compose.yaml', '-f', 'differs.yaml', ...args], {
      cwd: folder,
      env: { ...process.env, CADDY_IMAGE: caddyImage },
    })
  const containerOf = async (service: string) => (await compose('ps', '-q', service)).stdout.trim()

  before(async () => {
    ;[http, https, open, internal, ops] = await freePorts(5)
    // Debian 12's Compose does not support `name` in a file; `-p` has the same effect.
    writeFileSync(here('compose.yaml'), readFileSync(join(given, 'compose.yaml'), 'utf8').replace(/^name: .+$/m, ''))
    copyFileSync(join(given, 'Caddyfile'), here('Caddyfile'))
    for (const name of ['site', 'caddy']) mkdirSync(here(name))
    const env = readFileSync(join(given, 'service.example.env'), 'utf8')
      .replace(/^BUSINESS_PHONE=.*$/m, 'BUSINESS_PHONE=(212) 736-5000')
      .replace(/^BUSINESS_EMAIL=.*$/m, 'BUSINESS_EMAIL=office@cleaning-company.us')
    writeFileSync(here('.env'), 'DOMAIN=localhost\n')
    writeFileSync(here('service.env'), env)
    const [logging, image] = [{ driver: 'json-file' }, await buildServiceImage()]
    const caddy = { HTTP_PORT: http, HTTPS_PORT: https, SERVICE: `127.0.0.1:${open}` }
    const ports = { PORT: open, INTERNAL_PORT: internal, OPS_PORT: ops }
    const intake = { ...ports, BASE_URL: `https://localhost:${https}`, TEST_LEADS: 'accept' }
    const services = { caddy: { logging, environment: caddy }, 'lead-intake': { image, logging, environment: intake } }
    writeFileSync(here('differs.yaml'), stringify({ services }))
    copyFileSync((await execute('which', ['caddy'])).stdout.trim(), here('caddy/caddy'))
    const from = `FROM ${process.env.DEBIAN_IMAGE ?? 'debian:bookworm-slim'}\nCOPY caddy /usr/bin/caddy\n`
    writeFileSync(here('caddy/Dockerfile'), `${from}ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data\n`)
    await execute('docker', ['build', '-q', '-t', caddyImage, here('caddy')])
    await compose('up', '-d')
    const authority = `${await containerOf('caddy')}:/data/caddy/pki/authorities/local/root.crt`
    await until('Caddy has a certificate', () => execute('docker', ['cp', authority, here('ca.crt')]))
    await until('the service answers through Caddy', async () => (await ask('/api/v1')).status === 200)
  })
  after(async () => {
    await compose('down', '--volumes', '--timeout', '10')
    await execute('docker', ['image', 'rm', caddyImage])
  })

  /** Sends a request to Caddy. */
  async function ask(path: string, body?: string) {
    const sent = request({
      ...{ host: '127.0.0.1', servername: 'localhost', port: https, ca: readFileSync(here('ca.crt')) },
      ...{ agent: false, method: body ? 'POST' : 'GET', path },
      headers: { Host: `localhost:${https}`, ...(body && { 'Content-Type': 'application/json' }) },
    }).end(body)
    const [response] = await once(sent, 'response')
    return { status: response.statusCode as number, headers: response.headers, text: await text(response) }
  }

  test('passes the check from outside, which fails when a port is open', async () => {
    const check = async (closedPorts: string) => {
      const env = { ...process.env, CURL_CA_BUNDLE: here('ca.crt'), CLOSED_PORTS: closedPorts }
      const { code, stdout } = await runProgram(join(given, 'check'), [`localhost:${https}`], { env })
      return { code, stdout, wrong: Array.from(stdout.matchAll(/^WRONG (.+?): \S.{10}/gm), ([, what]) => what) }
    }
    const passed = await check('')
    assert.deepEqual([passed.code, passed.wrong], [0, []], passed.stdout)
    assert.match(passed.stdout, /^ok {4}your address has its own limit: 9 of 10/m)
    const failed = await check(`${internal}`)
    assert.deepEqual(failed.wrong, ['your address has its own limit', `port ${internal} is closed`], failed.stdout)
    assert.equal(failed.code, 1)
  })

  test('serves TLS for the service, redirects plain HTTP to it, and opens no other port to the network', async () => {
    const { headers, text } = await ask('/api/v1')
    assert.equal(JSON.parse(text).status, 'operational')
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
    const plain = await fetch(`http://localhost:${http}/api/v1`, { redirect: 'manual' })
    assert.deepEqual([plain.status, plain.headers.get('location')], [308, 'https://localhost/api/v1'])
    const curl = `-so /dev/null -w %{http_version} --cacert ${here('ca.crt')} https://localhost:${https}`.split(' ')
    assert.equal((await execute('curl', curl)).stdout, '1.1', 'HTTP/2 is not offered')
    const code = "tls.getCACertificates('extra').length > 0"
    const trusted = await compose('exec', '-T', 'lead-intake', 'node', '-p', code)
    assert.equal(trusted.stdout.trim(), 'true', 'what the machine trusts')
    // What listens on 127.0.0.1 alone cannot be reached here.
    for (const port of [open, internal, ops])
      await assert.rejects(once(connect(port as number, '127.0.0.2'), 'connect'), { code: 'ECONNREFUSED' })
  })

  test('serves the website on the same origin with its folders, and no hidden files', async () => {
    assert.match(String((await ask('/')).headers.location), /\/llms\.txt$/, 'no website yet')
    for (const name of ['about', 'api']) mkdirSync(here(`site/${name}`))
    for (const file of ['index.html', 'about/index.html', '.secret', 'api/v1', 'style.css'])
      writeFileSync(here(`site/${file}`), `page ${file}`)
    assert.equal((await ask('/')).text, 'page index.html')
    assert.equal((await ask('/about/')).text, 'page about/index.html')
    assert.equal((await ask('/about')).headers.location, '/about/')
    assert.equal((await ask('/.secret')).status, 404)
    assert.equal(JSON.parse((await ask('/api/v1')).text).status, 'operational', 'no file hides the API')
    assert.equal((await ask('/developers')).status, 200)
  })

  test('answers with a problem while the service is down, and stores the repeated submission once', async () => {
    const submission = JSON.stringify(quote)
    await compose('stop', 'lead-intake')
    const { status, headers, text } = await ask('/api/v1/leads', submission)
    const { code, type, instance, retryAfterSeconds } = JSON.parse(text)
    assert.deepEqual([status, headers['content-type'], headers['retry-after']], [503, 'application/problem+json', '5'])
    assert.deepEqual([code, retryAfterSeconds], ['service_unavailable', 5])
    const about = ['https://localhost/problems/service_unavailable', `urn:uuid:${headers['x-request-id']}`]
    assert.deepEqual([type, instance], about)
    await compose('start', 'lead-intake')
    await until('the service answers again', async () => (await ask('/api/v1')).status === 200)
    for (const again of [201, 200]) assert.equal((await ask('/api/v1/leads', submission)).status, again)
  })
})

const guide = readFileSync(join(root, 'docs/vm.md'), 'utf8')
const blocks = Array.from(guide.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block)

suite('docs/vm.md', () => {
  for (const block of blocks.filter((block) => !block.includes('\nprogram() ')))
    test(`ends at the first failure: ${block.split('\n').slice(0, 2).join(' ')}`, async () => {
      const cwd = newFolder()
      // No program is there, so each one fails. The last line of some blocks leads to another block.
      const script = `PATH=; cd() { :; }\ncommand_not_found_handle() { echo "ran $1" >&2; return 1; }\n${block}`
      const { stderr } = await runProgram('bash', ['-c', block.endsWith('&&\n') ? `${script} :` : script], { cwd })
      assert.equal(stderr.match(/^ran |No such file/gm)?.length, 1, stderr)
    })

  test('updates, keeps the page, rolls back, and changes nothing when upstream conflicts', async () => {
    const home = newFolder()
    const [upstream, machine, bin] = [join(home, 'upstream'), join(home, 'machine'), join(home, 'bin')] as const
    const write = (file: string, text: string) => writeFileSync(file, text, { mode: 0o755 })
    const git = (...args: string[]) =>
      execute('git', ['-C', upstream, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args])
    const release = async (name: string, file: string) => {
      write(join(upstream, file), name)
      await git('add', '.')
      await git('commit', '-qm', name)
    }
    for (const folder of [join(upstream, 'deploy/vm/example-site'), bin]) mkdirSync(folder, { recursive: true })
    for (const file of ['update', '.gitignore']) copyFileSync(join(given, file), join(upstream, 'deploy/vm', file))
    write(join(upstream, 'deploy/vm/backup'), '#!/bin/sh\n')
    const docker = 'case $* in *services) echo lead-intake; echo caddy;; *--wait*) $STARTS;; *) echo $* >>"$LOG";; esac'
    write(join(bin, 'docker'), `#!/bin/sh\n${docker}\n`)
    await git('init', '-q')
    await release('first', 'deploy/vm/example-site/index.html')
    await execute('git', ['clone', '-q', upstream, machine])
    const page = join(machine, 'deploy/vm/site/index.html')
    mkdirSync(join(machine, 'deploy/vm/site'))
    write(page, 'the page of the owner')
    let log = 0
    const update = async (option = '', STARTS = ':') => {
      const env = { ...process.env, STARTS, PATH: `${bin}:${process.env.PATH}`, LOG: join(home, `${++log}.log`) }
      const line = blocks
        .find((block) => block.includes('deploy/vm/update'))
        ?.trim()
        .replace('/opt/lead-intake', machine)
      const { code, stdout, stderr } = await runProgram('bash', ['-c', `${line} ${option}`], { env })
      assert.equal(readFileSync(page, 'utf8'), 'the page of the owner')
      const version = (await execute('git', ['-C', machine, 'log', '-1', '--format=%s'])).stdout.trim()
      return { code, version, output: stdout + stderr, built: existsSync(env.LOG) && readFileSync(env.LOG, 'utf8') }
    }
    await release('second', 'deploy/vm/example-site/index.html')
    const { built, ...updated } = await update()
    assert.deepEqual([updated.code, updated.version], [0, 'second'], updated.output)
    assert.match(String(built), /^build --pull -t lead-intake \.\n.*^compose pull caddy\ncompose up -d\n/ms)
    assert.equal((await update()).version, 'second', 'nothing new')
    assert.equal((await update('--rollback')).version, 'first')
    const down = await update('', 'false')
    assert.deepEqual(
      [down.code, /^compose logs .*^FAILED: .*--rollback/ms.test(`${down.built}${down.output}`)],
      [1, true],
    )
    assert.equal((await update('--rollback')).version, 'first')
    assert.equal((await update()).version, 'second')
    await release('third', 'deploy/vm/Caddyfile')
    write(join(machine, 'deploy/vm/Caddyfile'), 'what the owner wrote')
    const failed = await update()
    assert.deepEqual([failed.code, failed.version, failed.built], [1, 'second', false])
    assert.match(failed.output, /deploy\/vm\/Caddyfile\n.*^FAILED: /ms)
  })
})
