import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { assertProblem, freshClient, get, openRaw, parseAnswer, raw } from '../support/http.ts'
import { memoryOf, type RunningService, runService } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until, within } from '../support/until.ts'
import { metricOf } from './metric.ts'

/** How many answers a connection gets before it is closed. */
async function answersOf(socket: Socket): Promise<number> {
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.on('error', () => {})
  if (!socket.closed) await once(socket, 'close')
  return text.split('HTTP/1.1 ').length - 1
}

/** One second (docs/specification.md §11), plus a margin for a machine that runs other tests. */
const answerMs = 5_000

suite('a service in a separate process', () => {
  let service: RunningService
  before(async () => {
    service = await runService({ TRUSTED_PROXIES: '' })
  })
  after(() => service.dispose())

  async function assertUnharmed(): Promise<void> {
    const answer = await within(answerMs, 'an honest request', get(`${service.url}/api/v1`))
    assert.equal(answer.status, 200)
    assert.equal(service.child.exitCode, null)
    assert(!service.output().includes('unexpected error, exiting'), service.output())
  }

  for (const request of [
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab',
    'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /api/v1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    'NONSENSE\r\n\r\n',
    'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n',
  ]) {
    test(`survives ${JSON.stringify(request.slice(0, 40))} followed by a reset`, async () => {
      for (const url of [service.url, service.internalUrl, service.opsUrl]) {
        for (let count = 0; count < 20; count++) {
          const socket = await openRaw(url)
          socket.on('error', () => {})
          socket.write(request)
          if (count % 2 === 1) await delay(count % 5)
          socket.resetAndDestroy()
        }
      }
      await assertUnharmed()
    })
  }

  test('answers CONNECT with a problem, and counts and logs it', async () => {
    const name = 'lead_intake_http_requests_total{route="unknown",status="400",code="bad_request"}'
    const before = await metricOf(service.opsUrl, name)
    const answer = await raw(service.url, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
    assertProblem(answer, 400, 'bad_request')
    // There may be more: an earlier test's connections may have been refused in the meantime.
    assert((await metricOf(service.opsUrl, name)) > before)
    const id = answer.headers.get('x-request-id') as string
    await until('the line', () => service.output().includes(id))
  })

  for (const [name, request, count] of [
    ['one more', 'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n', 1],
    ['many more', 'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n', 2_000],
    ['one with content', 'POST /api/v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc', 1],
    ['a request whose content never arrives', 'POST /api/v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n', 1],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 1],
    ['an upgrade', 'GET /api/v1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', 1],
  ] as const) {
    test(`answers 32 pipelined requests and closes when ${name} follows`, async () => {
      const socket = await openRaw(service.url)
      socket.write('GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(32) + request.repeat(count))
      assert.equal(await answersOf(socket), 32)
    })
  }

  test('limits pipelined requests on the ops listener too', async () => {
    const socket = await openRaw(service.opsUrl)
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200))
    assert.equal(await answersOf(socket), 4)
  })

  test('answers 32 pipelined requests completely', async () => {
    const socket = await openRaw(service.url)
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'
    socket.write(request.repeat(31) + request.replace('Host', 'Connection: close\r\nHost'))
    assert.equal(await answersOf(socket), 32)
  })

  test('uses little memory when nobody reads the answers to pipelined requests', async () => {
    await assertUnharmed()
    const before = memoryOf(service)
    let most = 0
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'
    const sockets = await Promise.all(Array.from({ length: 60 }, () => openRaw(service.url)))
    for (const socket of sockets) {
      socket.on('error', () => {}).pause()
      socket.write(request.repeat(1_900))
    }
    for (let count = 0; count < 5; count++) {
      await assertUnharmed()
      most = Math.max(most, memoryOf(service))
    }
    for (const socket of sockets) socket.destroy()
    assert(most < 256, `${most} MiB, ${before} before`)
  })
})

suite('connections', () => {
  test('from one client are limited, and refused ones are counted', async () => {
    await using service = await startService({ TRUSTED_PROXIES: '', MAX_CONNECTIONS_PER_CLIENT: '5' })
    const name = 'lead_intake_http_connections_closed_total{reason="client_connections"}'
    const sockets = await Promise.all(Array.from({ length: 8 }, () => openRaw(service.url)))
    for (const socket of sockets) socket.on('error', () => {}).resume()
    await until('three are closed', () => sockets.filter(({ closed }) => closed).length === 3)
    assert.equal(await metricOf(service.opsUrl, name), 3)
    // A freed place can be used again.
    sockets.find(({ closed }) => !closed)?.destroy()
    await until('a place', async () => (await get(`${service.url}/api/v1`).catch(() => undefined))?.status === 200)
    for (const socket of sockets) socket.destroy()
  })

  test('from trusted proxies are not limited', async () => {
    await using service = await startService({ MAX_CONNECTIONS_PER_CLIENT: '5' })
    const sockets = await Promise.all(Array.from({ length: 8 }, () => openRaw(service.url)))
    assert.equal((await get(`${service.url}/api/v1`)).status, 200)
    assert(sockets.every(({ closed }) => !closed))
    for (const socket of sockets) socket.destroy()
  })

  test('that are idle are closed when the listener is full, longest idle first; busy ones stay', async () => {
    await using service = await startService({}, { connectionBounds: { connections: 4 } })
    const body = JSON.stringify(quote)
    const busy = await openRaw(service.url)
    busy.write(
      `POST /api/v1/leads HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    const idle: Socket[] = []
    for (let count = 0; count < 3; count++) idle.push((await openRaw(service.url)).resume())
    await using _sockets = { [Symbol.asyncDispose]: async () => void idle.map((socket) => socket.destroy()) }
    assert.equal((await raw(service.url, 'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n')).status, 200)
    await until('the first is closed', () => idle[0]?.closed === true)
    assert.deepEqual(
      idle.map(({ closed }) => closed),
      [true, false, false],
    )
    let answer = ''
    busy.on('data', (chunk) => (answer += chunk))
    busy.write(body)
    await until('an answer', () => answer.includes('\r\n\r\n'))
    assert.equal(parseAnswer(answer).status, 201)
    busy.destroy()
  })
})
