// What docs/specification.md §11 promises: through the documented proxies, nobody ends or stalls the service with the
// heap of its pod.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { skipWithoutEngine } from '../support/backends.ts'
import { runCaddy } from '../support/caddy.ts'
import { startNginx } from '../support/container.ts'
import { get, parseAnswer } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { memoryOf, type RunningService, root, runInPod } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until, within } from '../support/until.ts'

/** A documented proxy in front of a service on this machine. */
interface FrontProxy {
  /** Opens a connection from an address of this machine (127.0.0.0/8). `carrier` is what TLS goes through. */
  open(from: string): { socket: Socket; carrier: Socket }
  stop(): Promise<unknown>
}

/** The Caddyfile of one machine, with Debian's Caddy, which is its own authority for `localhost`. */
async function startCaddy(service: string): Promise<FrontProxy> {
  const [http, https] = (await freePorts(2)) as [number, number]
  const settings = { DOMAIN: 'localhost', SERVICE: service, HTTP_PORT: `${http}`, HTTPS_PORT: `${https}` }
  const { folder, stop } = runCaddy('deploy/vm/Caddyfile', { ...settings, SITE: newFolder() })
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt')
  await until('Caddy has a certificate', () => existsSync(authority) && existsSync(join(folder, 'caddy/certificates')))
  const ca = readFileSync(authority)
  return {
    open(localAddress) {
      const carrier = connect({ host: '127.0.0.1', port: https, localAddress }).on('error', () => {})
      const socket = connectTls({ socket: carrier, servername: 'localhost', ca })
      return { socket, carrier }
    },
    stop,
  }
}

/** The nginx of compose.yaml. It calls the service by its address, because there is no Docker network here. */
async function startTemplate(service: string): Promise<FrontProxy> {
  const [host = '', target = ''] = service.split(':')
  const [port] = (await freePorts(1)) as [number]
  const content = readFileSync(join(root, 'deploy/nginx/lead-intake.conf.template'), 'utf8')
    .replace('listen 8080', `listen ${port}`)
    .replace('set $replicas lead-intake;', `set $replicas ${host};`)
    .replace('http://$replicas:8080', `http://$replicas:${target}`)
  const { stop } = await startNginx({ '/etc/nginx/templates/default.conf.template': content }, 'host')
  return {
    open(localAddress) {
      const socket = connect({ host: '127.0.0.1', port, localAddress })
      return { socket, carrier: socket }
    },
    stop,
  }
}

/** What each connection of a flood does. When its other end closes it, another one is opened. */
interface Flood {
  /** What it sends first. */
  first: Buffer
  /** What it sends again and again, as soon as it is taken, or at this interval in milliseconds. */
  more?: Buffer
  everyMs?: number
  /** How it ends by itself, and after how many milliseconds. */
  ending?: 'reset' | 'half-close'
  /** Whether it reads the answers. */
  reads?: boolean
}

const getHead = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n'
const postHead = 'POST /api/v1/leads HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const filled = (request: string) => Buffer.from(request.repeat(Math.floor(65_536 / request.length)))
const gzipBomb = gzipSync(Buffer.alloc(10_000_000))
const gzipHead = `${postHead}Content-Encoding: gzip\r\nContent-Length: ${gzipBomb.length}\r\n\r\n`

const floods: Record<string, Flood> = {
  'pipelined requests whose answers are not read': { first: filled(`${getHead}\r\n`), reads: false },
  'heads that arrive byte by byte': { first: Buffer.from(`${getHead}X-Slow: `), more: Buffer.from('x'), everyMs: 200 },
  'bodies that arrive byte by byte': {
    first: Buffer.from(`${postHead}Content-Length: 15000\r\n\r\n`),
    more: Buffer.from('x'),
    everyMs: 200,
  },
  'chunks of a byte': {
    first: Buffer.from(`${postHead}Transfer-Encoding: chunked\r\n\r\n`),
    more: filled('1\r\nx\r\n'),
  },
  'empty lines': { first: Buffer.from('\r\n'), more: Buffer.from('\r\n'.repeat(30_000)) },
  '1,600 header fields': { first: filled(`${getHead}${'x: y\r\n'.repeat(1_600)}\r\n`) },
  'resets in the middle of answers': { first: filled(`${getHead}\r\n`), ending: 'reset' },
  'half-closed connections': { first: Buffer.from(`${postHead}Content-Length: 500\r\n\r\n{`), ending: 'half-close' },
  'large bodies that expect 100 Continue': {
    first: Buffer.from(`${postHead}Expect: 100-continue\r\nContent-Length: 50000000\r\n\r\n`),
    more: Buffer.alloc(65_536, 'x'),
  },
  'gzip bombs': { first: Buffer.concat([Buffer.from(gzipHead), gzipBomb]) },
}

/** Connections of a flood, all from one address: as many as the firewall of docs/vm.md lets through. */
const connections = 60
const floodMs = 2_000
/** For a machine that runs other tests. */
const answerMs = 60_000
const residentMaxMebibytes = 384

/** Floods a proxy until the function that it returns is called. */
function flood(proxy: FrontProxy, plan: Flood): () => void {
  const open = new Set<Socket>()
  let stopped = false

  function connectOne(): void {
    if (stopped) return
    const { socket, carrier } = proxy.open('127.0.0.2')
    open.add(socket)
    let timer: NodeJS.Timeout | undefined
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(timer)
      open.delete(socket)
      setTimeout(connectOne, 20)
    })
    if (plan.reads !== false) socket.resume()
    const send = () => {
      if (socket.destroyed || !plan.more) return
      const isTaken = socket.write(plan.more)
      if (isTaken || plan.everyMs) timer = setTimeout(send, plan.everyMs ?? 1)
      else socket.once('drain', send)
    }
    socket.once(socket === carrier ? 'connect' : 'secureConnect', () => {
      socket.write(plan.first)
      if (plan.ending === 'half-close') socket.end()
      else if (plan.ending === 'reset') timer = setTimeout(() => carrier.resetAndDestroy(), 10)
      else send()
    })
  }
  for (let count = 0; count < connections; count++) connectOne()
  return () => {
    stopped = true
    for (const socket of open) socket.destroy()
  }
}

/** An honest request from another address, on a connection of its own. */
async function ask(proxy: FrontProxy, request: string): Promise<number> {
  const { socket } = proxy.open('127.0.0.9')
  socket.write(request)
  return parseAnswer((await socket.setEncoding('utf8').toArray()).join('')).status
}

let submissions = 0
function submit(proxy: FrontProxy): Promise<number> {
  const body = JSON.stringify({ ...quote, notes: `Honest ${submissions++}` })
  const head = ['POST /api/v1/leads HTTP/1.1', 'Host: localhost', 'Connection: close', 'Content-Type: application/json']
  return ask(proxy, [...head, `Content-Length: ${body.length}`, '', body].join('\r\n'))
}
const look = (proxy: FrontProxy) => ask(proxy, 'GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')

for (const [name, start, skip] of [
  ['the Caddyfile', startCaddy, skipWithout('caddy')],
  ['the nginx template', startTemplate, skipWithoutEngine],
] as const) {
  suite(`behind ${name}`, { skip }, () => {
    let service: RunningService
    let proxy: FrontProxy
    before(async () => {
      service = await runInPod({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT: '100000' })
      proxy = await start(service.url.replace('http://', ''))
      await until('an answer through the proxy', async () => (await look(proxy)) === 200)
    })
    after(() => Promise.all([proxy.stop(), service.dispose()]))

    for (const [what, plan] of Object.entries(floods)) {
      test(`honest callers are served during ${what}`, async () => {
        const endMs = performance.now() + floodMs
        const stop = flood(proxy, plan)
        try {
          while (performance.now() < endMs) {
            await within(answerMs, what, Promise.all([submit(proxy), get(`${service.opsUrl}/livez`)]))
            assert(memoryOf(service) < residentMaxMebibytes, `${memoryOf(service)} MiB`)
            await delay(100)
          }
        } finally {
          stop()
        }
        assert.equal(service.child.exitCode, null)
        assert.doesNotMatch(service.output(), /^\{"level":"(error|fatal)"/m)
        assert.equal(await submit(proxy), 201)
      })
    }
  })
}

test('Caddy mixes up no bodies while the service restarts', { skip: skipWithout('caddy') }, async () => {
  const [port] = (await freePorts(1)) as [number]
  const arrived: [unknown, string][] = []
  const backend = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk)).on('error', () => {})
    request.on('end', () => {
      response.writeHead(201).end()
      if (arrived.push([request.headers['idempotency-key'], body]) % 8) return
      backend.close().closeAllConnections()
      setTimeout(() => backend.listen(port, '127.0.0.1'), 600).unref()
    })
  })
  backend.unref().listen(port, '127.0.0.1')
  const proxy = await startCaddy(`127.0.0.1:${port}`)
  const send = async (key: string) => {
    const head = `POST /api/v1/leads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: ${key}`
    while ((await ask(proxy, `${head}\r\nContent-Length: 3\r\n\r\n${key}`)) !== 201) await delay(100)
  }
  for (const round of '123456') await Promise.all(Array.from('ABCDEFGH', (customer) => send(`${customer}-${round}`)))
  await proxy.stop()
  const mixed = arrived.filter(([key, body]) => key !== body)
  assert.deepEqual(mixed, [])
})
