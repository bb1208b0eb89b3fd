import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { suite, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readBody } from '../../src/rest/body.ts'
import { freshClient, get, metricOf, openRaw, post, raw } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const rootRequest = 'GET /api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'
const closedName = (reason: string) => `lead_intake_http_connections_closed_total{reason="${reason}"}`

/** A submission without its last bytes. */
function begin(socket: Socket, body: string): void {
  const head = ['POST /api/v1/leads HTTP/1.1', 'Host: a', `X-Forwarded-For: ${freshClient()}`]
  head.push('Content-Type: application/json', `Content-Length: ${body.length}`, '', body.slice(0, -1))
  socket.write(head.join('\r\n'))
}

test('CONNECT and Upgrade, alone or after another request, then a reset, harm nobody', async () => {
  await using service = await startService()
  const upgrade = 'GET /api/v1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
  const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const url of [service.url, service.internalUrl, service.opsUrl])
    for (const request of [tunnel, rootRequest + tunnel, upgrade]) {
      const socket = (await openRaw(url)).on('error', () => {})
      socket.write(request)
      await get(`${service.url}/api/v1`)
      socket.resetAndDestroy()
    }
  assert.equal((await get(`${service.url}/api/v1`)).status, 200)
  assert.doesNotMatch(service.log(), /unexpected error/)
})

test('idle connections stay open longer than any known proxy reuses them, and each answer says so', async () => {
  await using service = await startService()
  for (const url of [service.url, service.internalUrl])
    assert.equal((await raw(url, rootRequest)).headers.get('keep-alive'), 'timeout=650')
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
    await using service = await startService({}, { connectionsMax: 4 })
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

  test('with slow bodies do not block other submissions', async () => {
    await using service = await startService({}, { inProgressMax: 8_000 })
    const slow = await openMany(service.url, 10)
    for (const [index, socket] of slow.entries()) begin(socket, JSON.stringify({ ...quote, notes: `Slow ${index}` }))
    assert.equal((await post(service.url)).status, 201)
    for (const socket of slow) {
      socket.write('}')
      assert.match(String(((await once(socket, 'data')) as [Buffer])[0]), /^HTTP\/1\.1 201 /)
      socket.destroy()
    }
  })
})

test('a body in chunks of a byte keeps none of the buffers in which the chunks arrived', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const req = Object.assign(new PassThrough(), { headers: {} })
  const body = readBody(req as unknown as IncomingMessage)
  for (let sent = 0; sent < 1_000; sent++) {
    req.write(Buffer.alloc(65_536, 'x').subarray(0, 1))
    if (sent % 100 === 0) await new Promise(setImmediate)
  }
  await until('all are read', () => req.readableLength === 0)
  // Buffers are freed some time after the collection that finds them.
  await until('the buffers are gone', () => {
    collect()
    return process.memoryUsage().arrayBuffers < 16_000_000
  })
  req.end()
  assert.equal((await body).length, 1_000)
})
