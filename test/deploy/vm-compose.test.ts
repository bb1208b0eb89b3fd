import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { buildServiceImage } from '../image/service-image.ts'
import { skipWithoutEngine } from '../support/backends.ts'
import { freePorts } from '../support/ports.ts'
import { root } from '../support/process.ts'
import { skipWithout, toolPath } from '../support/tools.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const given = join(root, 'deploy/vm')
const skip = skipWithoutEngine || skipWithout('caddy', 'curl', 'docker-compose')

/**
 * deploy/vm/compose.yaml, started by Docker Compose with a certificate from Caddy's own CA. It differs in what a test
 * machine cannot provide: the ports, journald, and Caddy's image, for which Debian's program is used.
 */
suite('one machine: compose.yaml, started', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-vm-'))
  const project = `vm-${process.pid}`
  const here = (name: string) => join(folder, name)
  const caddyImage = `localhost/${project}-caddy`
  let ports: number[] = []
  const compose = (...args: string[]) =>
    run('docker-compose', ['-p', project, '-f', 'compose.yaml', '-f', 'differs.yaml', ...args], {
      cwd: folder,
      env: { ...process.env, CADDY_IMAGE: caddyImage },
    })
  const containerOf = async (service: string) => (await compose('ps', '-q', service)).stdout.trim()

  before(async () => {
    ports = await freePorts(5)
    const [http, https, open, internal, ops] = ports.map(String)
    // Debian 12's Compose does not support `name` in a file; `-p` has the same effect.
    writeFileSync(here('compose.yaml'), readFileSync(join(given, 'compose.yaml'), 'utf8').replace(/^name: .+$/m, ''))
    copyFileSync(join(given, 'Caddyfile'), here('Caddyfile'))
    mkdirSync(here('site'))
    const own: Record<string, string> = {
      ...{ BUSINESS_PHONE: '(212) 736-5000', BUSINESS_EMAIL: 'office@cleaning-company.us' },
      ...{ RATE_LIMIT_SECRET: 'a'.repeat(64), CONSENT_SEAL_KEY: 'b'.repeat(64), STOP_KEY: 'c'.repeat(64) },
    }
    const example = readFileSync(join(given, 'service.example.env'), 'utf8')
    writeFileSync(here('.env'), 'DOMAIN=localhost\n')
    writeFileSync(
      here('service.env'),
      example.replaceAll(/^(\w+)=.*$/gm, (line, name) => (name in own ? `${name}=${own[name]}` : line)),
    )
    const logging = { driver: 'json-file' }
    const image = await buildServiceImage()
    const services = {
      caddy: { logging, environment: { HTTP_PORT: http, HTTPS_PORT: https, SERVICE: `127.0.0.1:${open}` } },
      'lead-intake': {
        ...{ image, logging },
        environment: {
          ...{ PORT: open, INTERNAL_PORT: internal, OPS_PORT: ops, BASE_URL: `https://localhost:${https}` },
        },
      },
    }
    writeFileSync(here('differs.yaml'), stringify({ services }))
    mkdirSync(here('caddy'))
    copyFileSync(toolPath('caddy'), here('caddy/caddy'))
    writeFileSync(
      here('caddy/Dockerfile'),
      `FROM ${process.env.DEBIAN_IMAGE ?? 'debian:bookworm-slim'}
COPY caddy /usr/bin/caddy
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
`,
    )
    await run('docker', ['build', '-q', '-t', caddyImage, here('caddy')])
    await compose('up', '-d')
  })
  after(async () => {
    await compose('down', '--volumes', '--timeout', '10')
    await run('docker', ['image', 'rm', caddyImage])
    rmSync(folder, { recursive: true })
  })

  test('passes the check from outside over TLS, with no other open port', async () => {
    const [, https] = ports
    const caddy = await containerOf('caddy')
    const ca = here('ca.crt')
    await until('Caddy has a certificate', () =>
      run('docker', ['cp', `${caddy}:/data/caddy/pki/authorities/local/root.crt`, ca]),
    )
    await until('the service answers through Caddy', () =>
      run('curl', ['--fail', '--silent', '--cacert', ca, `https://localhost:${https}/api/v1`]),
    )
    const env = { ...process.env, CURL_CA_BUNDLE: ca, CLOSED_PORTS: '' }
    const { stdout } = await run(join(given, 'check'), [`localhost:${https}`], { env })
    assert.match(stdout, /^ok {4}your address has its own limit: 9 of 10/m)
    assert.doesNotMatch(stdout, /^WRONG/m)
  })

  test('runs the service read-only and unprivileged, and commands inside its container work', async () => {
    const service = await containerOf('lead-intake')
    const { stdout } = await run('docker', ['inspect', '--format', '{{json .HostConfig}}', service])
    const { ReadonlyRootfs, CapDrop, SecurityOpt, NetworkMode } = JSON.parse(stdout)
    assert.deepEqual([ReadonlyRootfs, CapDrop, NetworkMode], [true, ['ALL'], 'host'])
    assert.deepEqual(SecurityOpt, ['no-new-privileges:true'])
    const ready = await run('docker', ['exec', service, 'node', 'healthcheck.js', '/readyz'])
    assert.equal(ready.stdout, 'ok\n')
  })
})
