import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { getContainerRuntimeClient } from 'testcontainers'
import { skipWithoutEngine } from '../support/backends.ts'
import { get, post } from '../support/http.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { buildServiceImage, inspectImage, nodeImage } from './service-image.ts'

/** The settings in the `docker run` line of docs/kubernetes.md. */
const documented = {
  ...{ TEST_LEADS: 'accept', INTERNAL_HOST: '0.0.0.0', INTERNAL_INSECURE: 'true' },
  DRAIN_SECONDS: '0',
}

describe('the image', { skip: skipWithoutEngine }, () => {
  let image: string
  before(async () => {
    image = await buildServiceImage()
  })

  /** A container with only what the image needs. Removed with its volume at the end of the scope. */
  async function create({ command, environment }: { command?: string[]; environment: Record<string, string> }) {
    const { container: engine } = await getContainerRuntimeClient()
    const container = await engine.dockerode.createContainer({
      Image: image,
      ...(command && { Entrypoint: command }),
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      HostConfig: {
        ReadonlyRootfs: true,
        Tmpfs: { '/tmp': 'rw' },
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PublishAllPorts: true,
        // So that a program in the container can play the name server.
        Dns: ['127.0.0.1'],
      },
    })
    await container.start()
    const exec = async (command: string[], env: Record<string, string> = {}) =>
      (await engine.exec(container, command, { env })).exitCode
    const logs = async () => (await container.logs({ stdout: true, stderr: true })).toString()
    return { container, exec, logs, [Symbol.asyncDispose]: () => container.remove({ force: true, v: true }) }
  }

  /** Runs a program in the image and waits for its end. */
  async function run(command: string[], environment: Record<string, string> = {}) {
    await using running = await create({ command, environment })
    const { StatusCode } = await running.container.wait()
    return { status: StatusCode as number, output: await running.logs() }
  }

  test('runs Node as a numeric non-root user, and checks its health without a shell', async () => {
    const { Config } = await inspectImage(image)
    assert.equal(Config.User, '1000:1000')
    assert.deepEqual(Config.Entrypoint, ['node', 'dist/main.js'])
    assert.equal(Config.Cmd, null)
    assert.deepEqual(Config.Healthcheck?.Test, ['CMD', 'node', 'healthcheck.js'])
    assert.deepEqual(Object.keys(Config.ExposedPorts).sort(), ['8080/tcp', '9090/tcp', '9100/tcp'])
  })

  test('adds less than 10 MB to its base image', async () => {
    const [own, base] = await Promise.all([inspectImage(image), inspectImage(nodeImage)])
    const megabytes = (own.Size - base.Size) / 1e6
    assert(megabytes < 10, `${megabytes.toFixed(1)} MB`)
  })

  test('contains the bundle with source maps and licenses, the pages, and nothing else of the project or its packages', async () => {
    const script = `
      const { readdirSync } = require('node:fs')
      console.log(JSON.stringify({ app: readdirSync('/app').sort(), dist: readdirSync('/app/dist') }))`
    const { output } = await run(['node', '-e', script])
    const { app, dist }: { app: string[]; dist: string[] } = JSON.parse(output.slice(output.indexOf('{')))
    assert.deepEqual(app, ['data', 'dist', 'healthcheck.js', 'package.json'])
    const entries = [
      ...['main.js', 'migrate.js', 'backup.js', 'restore.js', 'move.js', 'verify.js', 'sqlite-worker.js'],
      ...['leads.js', 'main.js.LEGAL.txt'],
    ]
    for (const file of entries) assert(dist.includes(file), file)
    const others = ['site', 'static']
    for (const name of others) assert(dist.includes(name), name)
    for (const file of dist.filter((name) => !others.includes(name))) {
      assert(/\.js(\.map|\.LEGAL\.txt)?$/.test(file), file)
      if (file.endsWith('.js')) assert(dist.includes(`${file}.map`), `${file} has no source map`)
    }
  })

  test('accepts, shows and backs up a lead on a read-only root without capabilities, and exits 0 on SIGTERM', async () => {
    await using service = await create({ environment: documented })
    const { container, exec, logs } = service
    const { Ports } = (await container.inspect()).NetworkSettings
    const url = (port: number) => `http://127.0.0.1:${Ports[`${port}/tcp`]?.[0]?.HostPort}`
    await until('it is ready', async () => (await get(`${url(9100)}/readyz`)).status === 200).catch(async (cause) => {
      throw new Error(await logs(), { cause })
    })
    assert.equal((await get(`${url(9100)}/livez`)).status, 200)
    const taken = await post(url(8080), quote)
    assert.equal(taken.status, 201, taken.text)
    const inbox = `${url(9090)}/leadintake.v1.LeadInboxService/ListLeads`
    const listed = await fetch(inbox, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
    assert.deepEqual(
      ((await listed.json()) as { leads: { id: string }[] }).leads.map(({ id }) => id),
      [taken.json.id],
    )
    const backup = ['sh', '-c', 'node dist/backup.js - >/tmp/leads.bak && node dist/restore.js /tmp/leads.bak']
    assert.equal(await exec(backup, { DATABASE_URL: 'sqlite:/app/data/leads.db' }), 1, 'over leads')
    const elsewhere = 'node dist/backup.js - | DATABASE_URL=sqlite:/app/data/restored.db node dist/restore.js -'
    assert.equal(await exec(['sh', '-c', elsewhere]), 0)
    assert.equal(await exec(['node', 'healthcheck.js']), 0)
    assert.equal(await exec(['node', 'healthcheck.js', '/readyz?verbose']), 0)
    assert.equal(await exec(['node', 'healthcheck.js'], { OPS_PORT: '9' }), 1)

    await container.kill({ signal: 'SIGTERM' })
    assert.equal((await container.wait()).StatusCode, 0)
  })

  test('asks a name server that does not answer three times, not twice', async () => {
    const script = `
      const server = require('node:dgram').createSocket('udp4').bind(53, '127.0.0.1', () => {
        let queries = 0
        server.on('message', () => queries++)
        require('node:dns').lookup('database.example.', { family: 4 }, ({ code }) => {
          console.log(JSON.stringify({ code, queries }))
          server.close()
        })
      })`
    const { output } = await run(['node', '-e', script])
    assert.deepEqual(JSON.parse(output.slice(output.indexOf('{'))), { code: 'EAI_AGAIN', queries: 3 })
  })

  test('reports an unexpected error with a stack of readable lines', async () => {
    // A dependency whose failure at the start is unlike any of our own errors.
    const fault = `process.once = () => { throw new TypeError('a fault') }`
    const { status, output } = await run(['node', '--import', `data:text/javascript,${fault}`, 'dist/main.js'])
    assert.equal(status, 1, output)
    assert.match(output, /file:\/\/\/app\/dist\/main\.js:\d+:\d+/, output)
    for (const line of output.split('\n')) assert(line.length < 5_000, line)
  })

  test('exits with 78 on invalid settings, so that the migration Job does not retry', async () => {
    for (const program of ['dist/main.js', 'dist/migrate.js']) {
      const { status, output } = await run(['node', program], { DATABASE_URL: 'mysql://user:a-secret@db/leads' })
      assert.equal(status, 78, output)
      assert.match(output, /DATABASE_URL/)
      assert.doesNotMatch(output, /a-secret/)
    }
  })
})
