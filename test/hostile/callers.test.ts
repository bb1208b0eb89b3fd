// What a caller with a certificate can do to the internal listener.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createAuthority, type Identity } from '../rpc/certificates.ts'
import { frame, http2Preface, literalField } from '../support/http2-frames.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { memoryOf, type RunningService, runService } from '../support/process.ts'
import { until, within } from '../support/until.ts'

const residentMaxMebibytes = 384
/** One second (docs/specification.md §11), plus a margin for a machine that runs other tests. */
const answerMs = 10_000
const submitPath = '/leadintake.v1.LeadIntakeService/SubmitLead'

const authority = createAuthority('The business')
const ca = authority.cert
const crm = authority.issue('crm', { names: ['DNS:crm.internal'] })
const nobody = authority.issue('nobody')
let service: RunningService
before(async () => {
  const { cert, key } = authority.issue('127.0.0.1')
  service = await runService(
    {
      INTERNAL_TLS_CERT: cert,
      INTERNAL_TLS_KEY: key,
      INTERNAL_TLS_CLIENT_CA: ca,
      INTERNAL_CALLERS: 'crm.internal=submit+read',
    },
    // V8 sizes its heap by the machine. This is the size for the manifest's pod.
    ['node', '--max-old-space-size=192', 'src/main.ts'],
  )
})
after(async () => {
  await service.dispose()
  authority.dispose()
})

const url = () => service.internalUrl.replace('http:', 'https:')

async function assertServed(): Promise<void> {
  const client = inboxClient(url(), { ca, ...crm })
  await within(answerMs, 'an honest call', client.listLeads({ pageSize: 1 }))
  assert(memoryOf(service) < residentMaxMebibytes, `${memoryOf(service)} MiB`)
  assert.equal(service.child.exitCode, null)
  assert(!/^\{"level":[56]0/m.test(service.output()), service.output())
}

/** A gRPC message of zero bytes, each in a frame of its own. */
function oneByteFrames(path: string, bytes: number): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes, 1)
  const fields = Object.entries({
    ':method': 'POST',
    ':scheme': 'https',
    ':path': path,
    ':authority': 'localhost',
    'content-type': 'application/grpc',
    te: 'trailers',
  }).map(([name, value]) => literalField(name, value))
  const content = Buffer.concat([head, Buffer.alloc(bytes)])
  return Buffer.concat([
    http2Preface,
    frame(4, 0, 0, Buffer.alloc(0)),
    frame(1, 4, 1, Buffer.concat(fields)),
    ...Array.from(content, (byte) => frame(0, 0, 1, Buffer.of(byte))),
    frame(0, 1, 1, Buffer.alloc(0)),
  ])
}

suite('a caller', () => {
  for (const [path, bytes, identity] of [
    [submitPath, 60_000, crm],
    ['/grpc.health.v1.Health/Check', 60_000, nobody],
    ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 4_000, nobody],
  ] as [string, number, Identity][]) {
    test(`stalls nobody with ${bytes} bytes in as many frames to ${path}`, async () => {
      const socket = connectTls({
        port: Number(new URL(url()).port),
        host: '127.0.0.1',
        ca,
        ...identity,
        ALPNProtocols: ['h2'],
      })
      await once(
        socket.on('error', () => {}),
        'secureConnect',
      )
      socket.resume().write(oneByteFrames(path, bytes))
      await assertServed()
      socket.destroy()
    })
  }

  for (const [who, identity, ending] of [
    ['with a role', crm, 'too much is held'],
    ['without any role', nobody, 'they are refused'],
  ] as const) {
    test(`${who} does not fill the memory with unfinished messages: ${ending}`, async () => {
      const head = Buffer.alloc(5)
      head.writeUInt32BE(125_000, 1)
      const part = Buffer.concat([head, Buffer.alloc(100_000)])
      let closed = 0
      const sessions = Array.from({ length: 6 }, () => connectHttp2(url(), { ca, ...identity }).on('error', () => {}))
      for (const session of sessions) {
        for (let count = 0; count < 90; count++) {
          const stream = session.request({ ':method': 'POST', ':path': submitPath, 'content-type': 'application/grpc' })
          stream.on('error', () => {}).on('close', () => closed++)
          stream.resume().write(part)
        }
      }
      await until(
        `some of the calls are closed`,
        async () => {
          await assertServed()
          return closed >= 300
        },
        { withinMs: 60_000 },
      )
      for (const session of sessions) session.destroy()
      await assertServed()
    })
  }
})
