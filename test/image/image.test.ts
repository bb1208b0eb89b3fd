import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { GenericContainer, Network, type StartedNetwork, type StartedTestContainer } from 'testcontainers'
import { type ProblemCode, problemTable } from '../../src/problem/table.ts'
import { skipWithoutEngine } from '../support/backends.ts'
import { buildServiceImage, nodeImage, startContainer, startNginx } from '../support/container.ts'
import { type Answer, assertProblem, get, post, raw } from '../support/http.ts'
import { execute, root } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Runs a command of the engine. Resolves to its output, and rejects unless it exits with 0. */
const docker = async (...args: string[]) => (await execute('docker', args)).stdout.trim()

const hardened = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges']
/** The settings in the `docker run` line of docs/kubernetes.md. */
const documented = ['TEST_LEADS=accept', 'INTERNAL_HOST=::', 'INTERNAL_INSECURE=true', 'DRAIN_SECONDS=0']

test('the image starts on a read-only root as a numeric non-root user, takes, shows and backs up a lead, and stops', {
  skip: skipWithoutEngine,
}, async () => {
  const image = await buildServiceImage()
  const { User, Healthcheck } = JSON.parse(await docker('image', 'inspect', '--format={{json .Config}}', image))
  assert.deepEqual([User, Healthcheck.Test], ['1000:1000', ['CMD', 'node', 'healthcheck.js']])
  const id = await docker('run', '-d', '-P', ...hardened, ...documented.map((setting) => `--env=${setting}`), image)
  try {
    const exec = (...args: string[]) => docker('exec', id, ...args)
    const urlOf = async (port: number) => `http://127.0.0.1:${(await docker('port', id, `${port}`)).split(':').at(-1)}`
    const ops = await urlOf(9100)
    await until('it is ready', async () => (await get(`${ops}/readyz`)).status === 200).catch(async (cause) => {
      throw new Error(await docker('logs', id), { cause })
    })
    const taken = await post(await urlOf(8080))
    assert.equal(taken.status, 201, taken.text)
    const { json } = await post(await urlOf(9090), {}, { path: '/leadintake.v1.LeadInboxService/ListLeads' })
    const listed = (json.leads as { id: string }[]).map((lead) => lead.id)
    assert.deepEqual(listed, [taken.json.id])

    const elsewhere = 'DATABASE_URL=sqlite:/app/data/restored.db node dist/restore.js -'
    await exec('sh', '-c', `node dist/backup.js - | ${elsewhere}`)
    await assert.rejects(exec('sh', '-c', 'node dist/backup.js - | node dist/restore.js -'), 'over leads')
    await exec('test', '-e', 'dist/main.js.LEGAL.txt')
    await exec('node', 'healthcheck.js')
    assert.equal(await exec('node', 'healthcheck.js', '/readyz'), 'ok')
    await assert.rejects(docker('exec', '--env=OPS_PORT=9', id, 'node', 'healthcheck.js'))

    await docker('kill', '--signal=TERM', id)
    assert.equal(await docker('wait', id), '0')
  } finally {
    await docker('rm', '--force', '--volumes', id)
  }
  // So that the migration Job does not retry.
  const invalid = ['--env=DATABASE_URL=mysql://user:secret@db/leads', '--entrypoint=node', image, 'dist/migrate.js']
  await assert.rejects(docker('run', '--rm', ...hardened, ...invalid), { code: 78 })
})

const template = readFileSync(join(root, 'deploy/nginx/lead-intake.conf.template'), 'utf8')
const baseUrl = 'https://leads.example.org'

/** A fake replica: returns its name and the request that reached it. */
const replica = `
  require('node:http').createServer((req, res) => {
    let bytes = 0
    req.on('data', (chunk) => { bytes += chunk.length }).on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      res.end(JSON.stringify({ replica: require('node:os').hostname(), bytes, headers: req.headers }))
    })
  }).listen(8080)
  process.on('SIGTERM', () => process.exit())`

describe('the proxy of compose.yaml', { skip: skipWithoutEngine }, () => {
  let network: StartedNetwork
  let proxy: Awaited<ReturnType<typeof startNginx>>
  let replicas: StartedTestContainer[] = []
  let url: string

  before(async () => {
    network = await new Network().start()
    const startReplica = () =>
      startContainer(() =>
        new GenericContainer(nodeImage)
          .withCommand(['node', '-e', replica])
          .withNetwork(network)
          .withNetworkAliases('lead-intake'),
      )
    replicas = await Promise.all([startReplica(), startReplica(), startReplica()])
    proxy = await startNginx({ '/etc/nginx/templates/default.conf.template': template }, network)
    url = proxy.url()
  })
  after(async () => {
    await Promise.all([proxy, ...replicas].map((container) => container?.stop()))
    await network?.stop()
  })

  // `npm run check` compares its words with the service's.
  const assertRefused = (answer: Answer, code: ProblemCode) =>
    assertProblem(answer, problemTable[code].status as number, code, baseUrl)

  test('sends requests to every replica', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => get(`${url}/api/v1`)))
    assert.equal(new Set(answers.map(({ json }) => json.replica)).size, 3)
  })

  test("appends the client's address to X-Forwarded-For, and adds no header to answers", async () => {
    const { json, headers } = await get(`${url}/api/v1`, { 'X-Forwarded-For': '198.51.100.7' })
    const { 'x-forwarded-for': forwarded, host } = json.headers as Record<string, string>
    assert.match(String(forwarded), /^198\.51\.100\.7, \d+\.\d+\.\d+\.\d+$/)
    assert.equal(host, new URL(url).host)
    for (const name of ['content-language', 'x-request-id', 'retry-after']) assert.equal(headers.get(name), null)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('leaves the body limit to the service, and answers what does not reach a replica with problems', async () => {
    assert.equal((await post(url, 'x'.repeat(60_000))).json.bytes, 60_000)
    assertRefused(await post(url, 'x'.repeat(70_000)), 'body_too_large')
    assertRefused(await raw(url, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'), 'bad_request')
    const long = 'x'.repeat(20_000)
    assertRefused(await raw(url, `GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`), 'header_fields_too_large')
    assertRefused(await raw(url, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${long}\r\n\r\n`), 'header_fields_too_large')
  })

  test('skips a replica that is down, and answers with a problem when all are', async () => {
    const [first, ...others] = replicas
    await first?.stop()
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(url)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    await Promise.all(others.map((container) => container.stop()))
    replicas = []
    const away = await post(url)
    assertRefused(away, 'service_unavailable')
    assert.equal(away.headers.get('retry-after'), '5')
  })

  // The last test: afterwards, nginx refuses this address for a while.
  test('refuses a flood of one address with a problem', async () => {
    const answers = await Promise.all(Array.from({ length: 600 }, () => get(`${url}/api/v1`)))
    const refused = answers.filter(({ status }) => status === 429)
    assert(refused.length > 0 && refused.length < answers.length, `${refused.length}`)
    for (const answer of refused.slice(0, 3)) assertRefused(answer, 'rate_limited')
  })
})
