// Connections that fuzz all three listeners. `npm test -- --long test/hostile/siege.test.ts` goes on for longer.
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { headerMaxLengths } from '../../src/rest/header-bounds.ts'
import { freshClient, get, openRaw, post } from '../support/http.ts'
import { callHeaders, frame, http2Preface, http2Start } from '../support/http2-frames.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { memoryOf, type RunningService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { isLong } from '../support/tools.ts'
import { until, within } from '../support/until.ts'
import { runInPod } from './pod.ts'

const seeds = isLong ? 200 : 4
const connectionsPerSeed = 60
/** docs/specification.md §11, and a margin for a machine that runs other tests. */
const honestMaxMs = 10_000
const residentMaxMebibytes = 320
/** How long to wait for the service to close a connection, in milliseconds. */
const readMaxMs = 300

/** A seeded random number generator (a linear congruential one). */
function createRandom(seed: number) {
  let state = seed
  /** A whole number below the bound. */
  function below(bound: number): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  return {
    below,
    pick: <T>(values: readonly T[]) => values[below(values.length)] as T,
    /** True with a chance of one in this many. */
    once: (times: number) => below(times) === 0,
  }
}
type Random = ReturnType<typeof createRandom>

const punctuation = ` \t!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`
/** The maximum size of the headers, and slightly more. */
const headerBytes = 16_500

const targets = `
  / /api/v1 /api/v1/leads /api/leads /openapi.json /api-docs /problems/not_found /api/v1/leads?a=b //api/v1
  /%00%ff/../.. * http://[::1/ http://a/api/v1/leads http:// a:1 /leadintake.v1.LeadIntakeService/SubmitLead
  /leadintake.v1.LeadInboxService/WatchLeads /grpc.health.v1.Health/Check /metrics /readyz`
  .trim()
  .split(/\s+/)

const names = [
  ...Object.keys(headerMaxLengths),
  'accept',
  ...['x-forwarded-for', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'origin', 'cookie'],
  ...['authorization', 'user-agent', 'te', 'trailer', 'traceparent', 'tracestate', 'http2-settings', 'x-request-id'],
  ...['access-control-request-method', 'grpc-timeout', 'connect-protocol-version', 'sec-fetch-site'],
]

const values = `
  application/json | application/json; charset=" | application/grpc | application/proto | chunked | gzip, chunked
  identity | 100-continue | close | keep-alive | Upgrade, HTTP2-Settings | h2c
  websocket | 0 | 5 | 20001 | -1 | 18446744073709551616
  1.2.3.4 | [::1]:80 | 2001:db8::1, 10.0.0.1 | "a", W/"b" | */*;q=0.1 | 99999999S`
  .trim()
  .split(/ \| |\n {2}/)

const bodies = [
  '{}',
  '{"name":',
  `{"${'a'.repeat(19_000)}":1}`,
  `{${Array.from({ length: 2_000 }, (_, index) => `"${index}":0`).join()}}`,
  '['.repeat(20_000),
  '"\\ud800"',
  '\xff\xfe\0',
  '{"name":"Pat Example","phone":"2025550123","email":"pat@example.com","bedrooms":"3","bathrooms":"2","service":"Deep clean","notes":"None","communicationsConsent":true}',
]

/** What one hostile connection does. */
function createPlan(random: Random) {
  const make = random.pick([request, request, request, request, pipeline, http2, garbage, calls, silence])
  const listener = random.pick(['public', 'public', 'public', 'internal', 'ops'] as const)
  return {
    listener: make === calls ? 'internal' : make === silence ? 'ops' : listener,
    bytes: make(random),
    /** In how many pieces the bytes are written, and how many milliseconds lie between them. */
    pieces: random.pick([1, 1, 1, 2, 5]),
    pauseMs: random.below(20),
    /** How it ends, and how many milliseconds after the last write. `read` waits for the service to close it. */
    ending: random.pick(['reset', 'reset', 'close', 'half-close', 'read'] as const),
    endingMs: random.below(21),
    /** Whether it reads what it receives. */
    reads: !random.once(4),
  }
}
type Plan = ReturnType<typeof createPlan>

function request(random: Random): Buffer {
  const method = random.once(10) ? 'BREW' : random.pick(['GET', 'POST', 'POST', 'OPTIONS', 'HEAD', ...METHODS])
  const target = random.once(20) ? `/${fill(random, random.below(17_000))}` : random.pick(targets)
  const version = random.once(10) ? random.pick(['1.0', '0.9', '2.0', '9.9', '']) : '1.1'
  let head = `${method} ${target} HTTP/${version}\r\n`
  if (!random.once(10)) head += 'Host: a\r\n'
  const count = random.once(10) ? 2_500 : random.below(6)
  for (let index = 0; index < count && head.length < headerBytes; index++) {
    head += `${random.pick(names)}: ${random.once(4) ? fill(random, random.below(headerBytes)) : random.pick(values)}\r\n`
  }
  const body = random.pick(bodies)
  const framed = random.pick([
    () => `Content-Length: ${body.length}\r\n\r\n${body}`,
    () => `Content-Length: ${body.length + random.below(50)}\r\n\r\n${body}`,
    () => `Transfer-Encoding: chunked\r\n\r\n${chunks(random, body)}`,
    () => '\r\n',
    () => '',
  ])
  return Buffer.from(head + framed(), 'latin1')
}

function chunks(random: Random, body: string): string {
  const extension = random.pick(['', ';a=b', `;${fill(random, random.below(headerBytes))}`])
  const size = random.pick([body.length.toString(16), 'zz', 'ffffffffffffffff', '-1', '0', ' 5'])
  const end = random.pick(['0\r\n\r\n', `0\r\nTrailer: ${fill(random, random.below(2_000))}\r\n\r\n`, '0\r\n', ''])
  return `${size}${extension}\r\n${body}\r\n${end}`
}

function pipeline(random: Random): Buffer {
  const bare = `GET ${random.pick(targets)} HTTP/1.1\r\nHost: a\r\n`
  const one = random.pick([
    () => request(random),
    () => Buffer.from(`${bare}\r\n`),
    () => Buffer.from(`${bare}Content-Length: 1\r\n\r\nx`),
  ])()
  return Buffer.concat(Array.from({ length: 1 + random.below(Math.min(2_000, 70_000 / one.length)) }, () => one))
}

/** A text of one or two repeated punctuation fragments, to make parsers backtrack. */
function fill(random: Random, length: number): string {
  const fragment = Array.from({ length: 1 + random.below(3) }, () => random.pick([...punctuation, 'a', '1'])).join('')
  return (random.once(2) ? random.pick([...punctuation]) : '') + fragment.repeat(Math.ceil(length / fragment.length))
}

function http2(random: Random): Buffer {
  const frames: Buffer[] = [http2Preface]
  if (!random.once(5)) frames.push(frame(4, 0, 0, Buffer.alloc(0)))
  for (let count = random.below(200); count > 0; count--) {
    const payload = bytesOf(random, random.pick([0, 4, 5, 8, random.below(100), random.below(17_000)]))
    frames.push(frame(random.below(12), random.below(256), random.below(8), payload))
  }
  return Buffer.concat(frames)
}

/** Calls that need no role and are canceled at once, ask reflection much, or send headers again and again. */
function calls(random: Random): Buffer {
  const path = random.pick([
    '/grpc.health.v1.Health/Check',
    '/grpc.health.v1.Health/Watch',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ])
  const [type, flags, payload] = random.pick([
    [3, 0, Buffer.of(0, 0, 0, 8)],
    [0, 0, Buffer.from('\0\0\0\0\x20\x22\x1eleadintake.v1.LeadInboxService')],
    [1, 4, Buffer.from('\0\x03x-t\x01v')],
  ] as const)
  const times = random.pick([1, 20])
  const all = Array.from({ length: 300 }, (_, index) => {
    const id = 2 * index + 1
    return [callHeaders(id, path, 'application/grpc'), ...Array(times).fill(frame(type, flags, id, payload))]
  })
  return Buffer.concat([http2Start, ...all.flat()])
}

const silence = () => Buffer.alloc(0)

function bytesOf(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

/** Bytes that are not HTTP. Some start like TLS. */
function garbage(random: Random): Buffer {
  const bytes = bytesOf(random, random.below(3_000))
  return random.once(3) ? Buffer.concat([Buffer.from([0x16, 0x03, 0x01]), bytes]) : bytes
}

async function attack(service: RunningService, plan: Plan): Promise<void> {
  const socket = await openRaw(
    { public: service.url, internal: service.internalUrl, ops: service.opsUrl }[plan.listener],
  )
  const closed = new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()))
  if (plan.reads) socket.resume()
  const pieceBytes = Math.ceil(plan.bytes.length / plan.pieces)
  for (let at = 0; at < plan.bytes.length; at += pieceBytes) {
    if (at > 0) await delay(plan.pauseMs)
    if (socket.destroyed) return
    socket.write(plan.bytes.subarray(at, at + pieceBytes))
  }
  await delay(plan.endingMs)
  if (plan.ending === 'reset') socket.resetAndDestroy()
  else if (plan.ending === 'half-close') socket.end()
  if (plan.ending === 'half-close' || plan.ending === 'read') await Promise.race([closed, delay(readMaxMs)])
  socket.destroy()
}

/** The process is alive, has logged no unexpected error, is small, and answers honest callers of each listener. */
async function assertUnharmed(service: RunningService, inbox: ReturnType<typeof inboxClient>): Promise<void> {
  const honest = Promise.all([
    get(`${service.url}/api/v1`),
    post(service.url, { ...quote, notes: `Honest ${freshClient()}` }),
    get(`${service.opsUrl}/readyz`),
    inbox.listLeads({ pageSize: 1 }),
  ])
  const [root, lead, ready] = await within(honestMaxMs, 'honest requests', honest)
  assert.deepEqual([root.status, lead.status, ready.status], [200, 201, 200])
  assert.equal(service.child.exitCode, null)
  const lines = service.output().split('\n')
  assert.deepEqual(
    lines.filter((line) => /^\{"level":"(error|fatal)"/.test(line) || !/^(\{|$)/.test(line)),
    [],
  )
  assert(memoryOf(service) < residentMaxMebibytes, `${memoryOf(service)} MiB`)
}

suite('hostile connections do not stop, stall or exhaust the service', () => {
  test('to all three listeners', async (context) => {
    const service = await runInPod()
    const inbox = inboxClient(service.internalUrl)
    try {
      await assertUnharmed(service, inbox)
      /** In MiB. Measured after a tenth of the attacks, when the process has compiled and allocated what it keeps. */
      let resting = 0
      for (let seed = 1; seed <= seeds; seed++) {
        await context.test(`those of seed ${seed}`, async () => {
          const random = createRandom(seed)
          const plans = Array.from({ length: connectionsPerSeed }, () => createPlan(random))
          await Promise.all([...plans.map((plan) => attack(service, plan)), assertUnharmed(service, inbox)])
          await assertUnharmed(service, inbox)
        })
        if (seed === Math.ceil(seeds / 10)) resting = memoryOf(service)
      }
      await until('the memory is given back', () => memoryOf(service) < resting + 64)
    } finally {
      await service.dispose()
    }
  })
})
