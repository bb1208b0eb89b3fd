import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { assertProblem, freshClient, get, metricOf, openRaw, parseAnswer, post, readRaw } from '../support/http.ts'
import { memoryOf, type RunningService } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until, within } from '../support/until.ts'
import { runInPod } from './pod.ts'

const rootRequest = 'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'
const longRequest = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'
const closedName = (reason: string) => `lead_intake_http_connections_closed_total{reason="${reason}"}`

/** How many answers a connection gets before it is closed. */
async function answersOf(socket: Socket): Promise<number> {
  let text = ''
  socket.on('data', (chunk) => (text += chunk)).on('error', () => {})
  await new Promise((resolve) => (socket.closed ? resolve(true) : socket.once('close', resolve)))
  return text.split('HTTP/1.1 ').length - 1
}

/** A submission that lacks its last bytes. */
function begin(socket: Socket, body: string): void {
  const head = ['POST /api/v1/leads HTTP/1.1', 'Host: a', `X-Forwarded-For: ${freshClient()}`]
  head.push('Content-Type: application/json', `Content-Length: ${body.length}`, '', body.slice(0, -1))
  socket.write(head.join('\r\n'))
}

/** Three seconds (docs/specification.md §11), and a margin for a machine that runs other tests. */
const answerMs = 20_000

suite('a service in a separate process', () => {
  let service: RunningService
  before(async () => {
    service = await runInPod({ TRUSTED_PROXIES: '', RATE_LIMIT: '1000', MAX_CONNECTIONS_PER_CLIENT: '250' })
  })
  after(() => service.dispose())

  async function assertUnharmed(): Promise<void> {
    const answer = await within(answerMs, 'an honest request', get(`${service.url}/api/v1`))
    assert.equal(answer.status, 200)
    assert.equal(service.child.exitCode, null)
    assert.doesNotMatch(service.output(), /unexpected error/)
  }

  test('survives CONNECT and Upgrade, alone and behind another request, followed by a reset', async () => {
    const upgrade = 'GET /api/v1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
    const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const url of [service.url, service.internalUrl, service.opsUrl])
      for (const request of [tunnel, rootRequest + tunnel, upgrade])
        for (let count = 0; count < 20; count++) {
          const socket = (await openRaw(url)).on('error', () => {})
          socket.write(request)
          if (count % 2 === 1) await delay(count % 5)
          socket.resetAndDestroy()
        }
    await assertUnharmed()
  })

  test('takes a body with many empty lines', async () => {
    const response = await post(service.url, `{${'\r\n\r\n'.repeat(100)}"name": "A"}`)
    assert.equal(response.status, 422)
  })

  test('answers 32 pipelined requests completely, and closes a connection with more', async () => {
    const before = await metricOf(service.opsUrl, closedName('unanswered'))
    const enough = await openRaw(service.url)
    enough.write(longRequest.repeat(31) + longRequest.replace('Host', 'Connection: close\r\nHost'))
    assert.equal(await answersOf(enough), 32)
    assert.equal(await metricOf(service.opsUrl, closedName('unanswered')), before)
    for (const more of [1, 2_000]) {
      const socket = await openRaw(service.url)
      socket.write(rootRequest.repeat(32 + more))
      assert((await answersOf(socket)) <= 32)
    }
    assert.equal(await metricOf(service.opsUrl, closedName('unanswered')), before + 2)
  })

  for (const [count, requests, request, what] of [
    [60, 1_900, longRequest, 'requests'],
    // What Node also takes for requests: no version, and more line breaks than one empty line.
    [250, 5_000, 'GET /x\r\n\r\n\n\r', 'requests without a version'],
    [250, 1_700, 'GET / HTTP/1.1\r\nContent-Length:1\r\n\r\nx', 'requests with a body of a byte'],
    [250, 1_100, 'GET / HTTP/1.0\r\nConnection:keep-alive\r\nContent-Length:2\r\n\r\n{}', 'requests of HTTP/1.0'],
    [250, 1_200, 'GET / HTTP/1.1\r\nTransfer-Encoding:chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n', 'chunked requests'],
    [250, 1_100, 'GET / HTTP/1.1\r\nExpect: x\r\nContent-Length:1\r\n\r\nx', 'requests with an expectation'],
    [2_000, 100, longRequest, 'requests'],
  ] as const) {
    test(`stays small while ${count} connections send ${requests} ${what} each and read nothing`, async () => {
      await assertUnharmed()
      let most = 0
      const { hostname, port } = new URL(service.url)
      // Eight clients. Honest ones are a ninth.
      const sockets = Array.from({ length: count }, (_, index) =>
        connect({ host: hostname, port: Number(port), localAddress: `127.0.0.${2 + (index % 8)}` }),
      )
      for (const socket of sockets)
        socket
          .on('error', () => {})
          .pause()
          .write(request.repeat(requests))
      for (let round = 0; round < 6; round++) {
        await assertUnharmed()
        most = Math.max(most, memoryOf(service))
        await delay(50)
      }
      for (const socket of sockets) socket.destroy()
      assert(most < 320, `${most} MiB`)
    })
  }
})

// It rests on Node's parser, which reads a packet in place. If this fails with a new Node, packets need another way to
// be cut short.
suite('a packet of 80 requests ends the connection at the first one beyond the bound, and none is made of the rest', () => {
  const request = `GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`
  for (const [listener, earlier] of [
    ['url', 0],
    // Beyond 10,000 on a connection, Node answers itself.
    ['url', 9_984],
    ['internalUrl', 0],
    ['opsUrl', 0],
  ] as const)
    test(`${listener}, after ${earlier} others`, async () => {
      await using service = await startService({ TRUSTED_PROXIES: '' })
      const socket = await openRaw(service[listener])
      socket.on('error', () => {})
      let answers = 0
      socket.on('data', (bytes: Buffer) => (answers += bytes.toString('latin1').split('HTTP/1.1 ').length - 1))
      for (let sent = 32; sent <= earlier; sent += 32) {
        socket.write(request.repeat(32))
        while (answers < sent) await once(socket, 'data')
      }
      let made = 0
      const count = () => made++
      subscribe('http.server.request.start', count)
      socket.write(request.repeat(80))
      await new Promise((resolve) => socket.once('close', resolve))
      unsubscribe('http.server.request.start', count)
      assert(made >= 17 && made <= 34, `${made} requests`)
    })
})

test('what would keep the parser busy for its length alone ends the connection', async () => {
  await using service = await startService({ TRUSTED_PROXIES: '' })
  const head = (path: string, length: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`
  const chunked = 'Transfer-Encoding: chunked'
  const long = JSON.stringify({ ...quote, notes: 'x'.repeat(5_000) })
  const short = long.replaceAll(/.{1,21}/g, (part) => `${part.length.toString(16)}\r\n${part}\r\n`)
  for (const [url, bytes] of [
    [service.url, '\r\n'.repeat(500_000)],
    [service.url, head('/api/v1/leads', chunked) + '1;a\r\nx\r\n'.repeat(100_000)],
    [service.url, head('/api/v1/leads', chunked) + `64\r\n${'x'.repeat(100)}\r\n`.repeat(10_000)],
    // Each new request must not begin a new count while others wait.
    [
      service.url,
      `${head('/api/v1/leads', `${chunked}\r\nContent-Type: application/json`)}${short}0\r\n\r\n`.repeat(30),
    ],
    [service.internalUrl, head('/grpc.health.v1.Health/Check', chunked) + '1\r\nx\r\n'.repeat(100_000)],
    // Refused at once, 30 in a packet, so none waits for its answer.
    [service.internalUrl, `${head('/', 'Origin: a\r\nContent-Length: 2000')}${'x'.repeat(2_000)}`.repeat(2_000)],
    [service.url, head('/api/v1/leads', 'Content-Length: 9007199254740991') + 'x'.repeat(4_000_000)],
    [service.opsUrl, head('/livez', chunked) + '1;a\r\nx\r\n'.repeat(10_000)],
  ] as const) {
    const socket = await openRaw(url)
    socket.on('error', () => {}).resume()
    socket.write(bytes)
    await until(`the end of ${bytes.length} bytes`, () => socket.destroyed, { withinMs: 5_000 })
  }
})

suite('connections', () => {
  const openMany = (url: string, count: number) => Promise.all(Array.from({ length: count }, () => openRaw(url)))
  const statusOf = async (url: string) => (await get(`${url}/api/v1`).catch(() => undefined))?.status

  test('from one client are limited, and refused ones are counted; those from trusted proxies are not limited', async () => {
    await using service = await startService({ TRUSTED_PROXIES: '', MAX_CONNECTIONS_PER_CLIENT: '5' })
    const sockets = await openMany(service.url, 8)
    for (const socket of sockets) socket.on('error', () => {}).resume()
    await until('three are closed', () => sockets.filter(({ closed }) => closed).length === 3)
    assert.equal(await metricOf(service.opsUrl, closedName('client_connections')), 3)
    // A freed place can be used again.
    sockets.find(({ closed }) => !closed)?.destroy()
    await until('a place', async () => (await statusOf(service.url)) === 200)
    await using behindProxy = await startService({ MAX_CONNECTIONS_PER_CLIENT: '5' })
    const trusted = await openMany(behindProxy.url, 8)
    assert.equal(await statusOf(behindProxy.url), 200)
    assert(trusted.every(({ closed }) => !closed))
    for (const socket of [...sockets, ...trusted]) socket.destroy()
  })

  test('that are idle make room when the listener is full; busy ones stay', async () => {
    await using service = await startService({}, { connectionBounds: { connections: 4 } })
    const busy = await openRaw(service.url)
    const body = JSON.stringify(quote)
    begin(busy, body)
    const idle = await openMany(service.url, 3)
    for (const socket of idle) {
      socket.write(rootRequest)
      await once(socket, 'data')
    }
    await until('an answer', async () => (await statusOf(service.url)) === 200)
    assert(idle.some(({ readableEnded, closed }) => readableEnded || closed))
    busy.write(body.slice(-1))
    assert.match(String(((await once(busy, 'data')) as [Buffer])[0]), /^HTTP\/1\.1 201 /)
    for (const socket of [busy, ...idle]) socket.destroy()
  })

  test('whose answers are read in drops are closed', async () => {
    await using service = await startService({}, { connectionBounds: { answerMs: 400, unanswered: 500 } })
    const socket = (await openRaw(service.url)).on('error', () => {})
    // More than the buffers of the operating system hold.
    socket.write(longRequest.repeat(400))
    const drops = setInterval(() => socket.read(1), 20)
    await until('it is closed', async () => (await metricOf(service.opsUrl, closedName('unread'))) === 1)
    clearInterval(drops)
    socket.destroy()
  })

  test('with slow content take no places for submissions', async () => {
    await using service = await startService({}, { maxInFlight: 2 })
    const slow = await openMany(service.url, 10)
    for (const [index, socket] of slow.entries()) begin(socket, JSON.stringify({ ...quote, notes: `Slow ${index}` }))
    assert.equal((await post(service.url)).status, 201)
    for (const socket of slow) {
      socket.write('}')
      assert.match(String(((await once(socket, 'data')) as [Buffer])[0]), /^HTTP\/1\.1 201 /)
      socket.destroy()
    }
  })

  test('that send byte by byte get 408, and those that send without end 413 while it arrives', async () => {
    await using service = await startService({}, { headersTimeoutMs: 500, requestTimeoutMs: 1_000 })
    const head = 'POST /api/v1/leads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
    for (const beginning of [`${head}X-Slow: `, `${head}Content-Length: 5000\r\n\r\n`]) {
      const socket = await openRaw(service.url)
      socket.write(beginning)
      const drip = setInterval(() => socket.writable && socket.write('x'), 100)
      assertProblem(await readRaw(socket), 408, 'request_timeout')
      clearInterval(drip)
    }
    const socket = (await openRaw(service.url)).on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`
    const more = setInterval(() => socket.writable && !socket.writableNeedDrain && socket.write(chunk), 1)
    await within(20_000, 'the connection is closed', closed)
    clearInterval(more)
    assertProblem(parseAnswer(text), 413, 'body_too_large')
  })
})
