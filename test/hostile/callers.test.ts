// What a caller with a certificate can do to the internal listener.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { createAuthority, type Identity } from '../rpc/certificates.ts'
import { get, openRaw } from '../support/http.ts'
import { callHeaders, envelope, frame, http1, http2Start } from '../support/http2-frames.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { cpuSecondsOf, memoryOf, type RunningService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { until, within } from '../support/until.ts'
import { runInPod } from './pod.ts'

const residentMaxMebibytes = 384
/** For a machine that runs other tests. */
const answerMs = 20_000
const submitPath = '/leadintake.v1.LeadIntakeService/SubmitLead'
const listPath = '/leadintake.v1.LeadInboxService/ListLeads'
const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'

const authority = createAuthority('The business')
const ca = authority.cert
const crm = authority.issue('crm', { names: ['DNS:crm.internal'] })
const nobody = authority.issue('nobody')
let service: RunningService
before(async () => {
  const { cert, key } = authority.issue('127.0.0.1')
  const tls = { INTERNAL_TLS_CERT: cert, INTERNAL_TLS_KEY: key, INTERNAL_TLS_CLIENT_CA: ca }
  service = await runInPod({ ...tls, INTERNAL_CALLERS: 'crm.internal=submit+read' })
})
after(() => service.dispose())

const url = () => service.internalUrl.replace('http:', 'https:')

/** One connection for all honest calls, because connections of a name are bounded. */
let honest: ReturnType<typeof inboxClient> | undefined

async function assertServed(): Promise<void> {
  honest ??= inboxClient(url(), { ca, ...crm })
  // As docs/inbox.md says of 503: again, while the service notices that the attackers have left.
  const isServed = async () => {
    try {
      return await honest?.listLeads({ pageSize: 1 })
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unavailable) throw error
    }
  }
  await until('an honest call', isServed, { withinMs: answerMs })
  assert(memoryOf(service) < residentMaxMebibytes, `${memoryOf(service)} MiB`)
  assert.equal(service.child.exitCode, null)
  assert(!/^\{"level":"(error|fatal)"/m.test(service.output()), service.output())
}

function connectRaw(identity: Identity, protocol = 'h2') {
  const port = Number(new URL(url()).port)
  return connectTls({ port, host: '127.0.0.1', ca, ...identity, ALPNProtocols: [protocol] }).on('error', () => {})
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

/** Sends a gRPC message, each byte in a frame of its own. Resolves when the service has closed the connection. */
async function sendInBytes(path: string, identity: Identity): Promise<void> {
  const socket = connectRaw(identity).resume()
  await once(socket, 'secureConnect')
  // Less than an HTTP/2 window.
  const frames = Array.from(envelope(Buffer.alloc(60_000)), (byte) => frame(0, 0, 1, Buffer.of(byte)))
  socket.write(Buffer.concat([http2Start, callHeaders(1, path, 'application/grpc', { ':scheme': 'https' }), ...frames]))
  await within(answerMs, 'the end of the connection', closed(socket))
}

suite('a caller', () => {
  for (const [path, identity] of [
    [submitPath, crm],
    ['/grpc.health.v1.Health/Check', nobody],
    ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', nobody],
  ] as const) {
    test(`takes less than a second of CPU with 60000 bytes in as many frames to ${path}, and is closed`, async () => {
      const before = cpuSecondsOf(service)
      await sendInBytes(path, identity)
      const seconds = cpuSecondsOf(service) - before
      assert(seconds < 1, `${seconds} s`)
      await assertServed()
    })
  }

  for (const [who, identity, ending] of [
    ['with a role', crm, 'too much is held'],
    ['without any role', nobody, 'they are refused'],
  ] as const) {
    test(`${who} does not fill the memory with unfinished messages: ${ending}`, async () => {
      const part = envelope(Buffer.alloc(125_000)).subarray(0, 100_000)
      let closed = 0
      const sessions = Array.from({ length: 6 }, () => connectHttp2(url(), { ca, ...identity }).on('error', () => {}))
      for (const session of sessions) {
        for (let count = 0; count < 90; count++) {
          const stream = session.request({ ':method': 'POST', ':path': submitPath, 'content-type': 'application/grpc' })
          stream.on('error', () => {}).on('close', () => closed++)
          stream.resume().write(part)
        }
      }
      const isEnough = async () => {
        await assertServed()
        return closed >= 300
      }
      await until('many calls are closed', isEnough, { withinMs: 60_000 })
      for (const session of sessions) session.destroy()
      await assertServed()
    })
  }

  for (const [what, path, type, body] of [
    ['calls that are begun at once', submitPath, 'application/grpc', undefined],
    ['pages that are not read', listPath, 'application/json', '{"pageSize":500}'],
  ] as const) {
    test(`does not fill the memory with ${what} on many connections`, async () => {
      await storeLongLeads(120)
      const sockets = Array.from({ length: 20 }, () => connectRaw(crm))
      await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')))
      const ids = Array.from({ length: 100 }, (_, index) => 2 * index + 1)
      const calls = ids.flatMap((id) => [
        callHeaders(id, path, type, { ':scheme': 'https' }),
        ...(body ? [frame(0, 1, id, Buffer.from(body))] : []),
      ])
      const before = service.output().length
      const isRefused = () => /"code":"(unavailable|resource_exhausted)"/.test(service.output().slice(before))
      for (const socket of sockets) socket.write(Buffer.concat([http2Start, ...calls]))
      await until('calls are refused', isRefused, { withinMs: 60_000 })
      for (const socket of sockets) socket.destroy()
      await assertServed()
    })
  }

  test('does not fill the memory with streams that are refused and not read', async () => {
    const sessions = Array.from({ length: 20 }, () =>
      connectHttp2(url(), { ca, ...crm, settings: { initialWindowSize: 0 } }).on('error', () => {}),
    )
    let closed = 0
    for (const session of sessions) {
      for (let count = 0; count < 100; count++) {
        const headers = { ':method': 'POST', ':path': watchPath, 'content-type': 'application/connect+json' }
        const stream = session.request(headers).resume()
        stream.on('error', () => {}).on('close', () => closed++)
        stream.end(envelope(Buffer.from('{}')))
      }
    }
    await until('many are closed', () => closed >= 1_300, { withinMs: 60_000 })
    for (const session of sessions) session.destroy()
    await assertServed()
  })

  test('does not fill the memory with pages of leads that wait behind a stream', async () => {
    await storeLongLeads(120)
    const list = http1(listPath, 'application/json', Buffer.from('{"pageSize":500}'))
    const watch = http1('/grpc.health.v1.Health/Watch', 'application/connect+json', envelope(Buffer.from('{}')))
    const packet = Buffer.concat([watch, ...Array.from({ length: 31 }, () => list)])
    const sockets = Array.from({ length: 12 }, () => connectRaw(crm, 'http/1.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')))
    for (const socket of sockets) socket.write(packet)
    await within(60_000, 'an honest page after all the others', inboxClient(url(), { ca, ...crm }).listLeads({}))
    await assertServed()
    for (const socket of sockets) socket.destroy()
  })
})

/** Stores leads of 20 kB. */
async function storeLongLeads(count: number): Promise<void> {
  const transport = createGrpcTransport({ baseUrl: url(), nodeOptions: { ca, ...crm } })
  const client = createClient(LeadIntakeService, transport)
  for (let index = 0; index < count; index++) {
    const value = { ...quote, notes: `${index} ${'😀'.repeat(4_900)}` }
    await client.submitLead({ lead: { case: 'quoteRequest', value } })
  }
}

test('header fields that are never delivered do not end the process', async () => {
  await using victim = await runInPod()
  // Trailers that do not end the stream (RFC 9113 §8.1).
  const trailers = (id: number) => frame(1, 4, id, Buffer.from('\0\x03x-t\x01v'))
  const call = (id: number) =>
    Buffer.concat([
      callHeaders(id, '/grpc.health.v1.Health/Check', 'application/grpc'),
      ...Array(12).fill(trailers(id)),
    ])
  let connections = 0
  /** Connects anew each time the service has closed the connection. */
  async function attack() {
    while (connections++ < 4_000 && victim.child.exitCode === null && victim.child.signalCode === null) {
      const socket = await openRaw(victim.internalUrl)
      socket.on('error', () => {}).resume()
      socket.write(http2Start)
      for (let id = 1; !socket.destroyed && id < 200; id += 2) {
        socket.write(call(id))
        await delay(2)
      }
      socket.destroy()
    }
  }
  await Promise.allSettled(Array.from({ length: 30 }, attack))
  assert.equal((await get(`${victim.url}/api/v1`)).status, 200)
})

const unfinished = http1('/grpc.health.v1.Health/Check', 'application/json', Buffer.from('{'), 'content-length: 100')
for (const [what, bytes, connections] of [
  ['calls over HTTP/1.1', unfinished, 300],
  ['connections over HTTP/2', http2Start, 600],
] as const) {
  test(`${what} that their callers break off leave nothing in memory`, async () => {
    await using victim = await runInPod()
    const breakOff = async () => {
      for (let count = 0; count < connections; count++) {
        const socket = (await openRaw(victim.internalUrl)).on('error', () => {})
        socket.write(bytes)
        await delay(3)
        socket.resetAndDestroy()
      }
    }
    const breakOffMany = () => Promise.all(Array.from({ length: 20 }, breakOff))
    await breakOffMany()
    const before = memoryOf(victim)
    await breakOffMany()
    // If they stayed, it would be about 50 MiB.
    assert(memoryOf(victim) < before + 25, `${before} and ${memoryOf(victim)} MiB`)
  })
}
