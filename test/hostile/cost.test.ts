// Every parser of a header or body takes linear time, and none costs more than a few full bodies (specification §11).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { leadRules } from '../../src/lead/rules.ts'
import { openRaw, readRaw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'

/** Doubling the text may double the cost. A parser that backtracks for every character costs four times as much. */
const growthMax = 3
/** The maximum cost of a request, as a multiple of a submission with a full body. */
const costMax = 5
/** The minimum of at most this many tries counts, because other activity on the machine only adds time. */
const tries = 100

/** A request that is filled with a text of this length, by what fills it. */
type Texts = Record<string, (length: number) => string>

/** Fragments that are hard for parsers: each alone, and repeated after a promising beginning. */
const fragments = [...' \t"\\;,:=./[](%@*-+0a', 'a,', '1.', '::', ';a=', ';q=', '\\"', 'W/"', '{"']
const beginnings: Record<string, string[]> = {
  'content-type': ['application/json', 'application/json;charset="'],
  accept: ['a/b;x="', 'text/html;q='],
  'accept-encoding': ['gzip;q=', 'gzip,'],
  'x-forwarded-for': ['[', '1.2.3.4,', '127.0.0.1,'],
  'idempotency-key': ['"'],
  'if-none-match': ['"'],
  host: ['a:', '['],
  phone: ['+1', '('],
  email: ['a@', 'a@a.'],
  pageUrl: ['https://', 'https://a@'],
  consentTimestamp: ['2026-11-22T00:00:00.'],
  target: ['/', 'http://', 'http://a/', '/api/v1/leads?'],
}
const repeat = (fragment: string, length: number) => fragment.repeat(length / fragment.length + 1).slice(0, length)

function http(start: string, fields: Record<string, string>, body = ''): string {
  const lines = Object.entries({ host: 'a', ...fields }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${start} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
function submission(fields: Record<string, string>, body: string): string {
  const content = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }
  return http('POST /api/v1/leads', { ...content, ...fields }, body)
}

/** Requests with a header or field of this name: a beginning, a repeated fragment, and an invalid end. */
const filled = (name: string, request: (value: string) => string): Texts =>
  Object.fromEntries(
    ['', ...(beginnings[name] ?? [])].flatMap((beginning) =>
      fragments.map((fragment) => [
        `${beginning}${fragment}…`,
        (length: number) => request(`${beginning}${repeat(fragment, length)}x;`),
      ]),
    ),
  )
/** By the place that is filled, with the longest text that fits. */
const places: Record<string, [length: number, texts: Texts]> = {}
const submitted = `host content-type content-encoding x-forwarded-for user-agent origin expect x-request-id idempotency-key
  consent-version access-control-request-method authorization traceparent x-unknown`
for (const name of submitted.split(/\s+/))
  places[`header ${name}`] = [15_000, filled(name, (value) => submission({ [name]: value }, '{}'))]
for (const name of ['accept', 'accept-encoding', 'if-none-match'])
  places[`header ${name}`] = [15_000, filled(name, (value) => http('GET /api-docs', { [name]: value }))]
for (const [kind, example] of [['quote', quote] as const, ['support', contact] as const])
  for (const { name } of leadRules[kind]) {
    const request = (value: string) => submission({}, JSON.stringify({ ...example, [name]: value }))
    // Half a body, because an escape takes two bytes.
    places[`field ${name} of kind ${kind}`] = [9_000, filled(name, request)]
  }
places.bodies = [
  19_000,
  {
    'nested lists': (length) => submission({}, '['.repeat(length)),
    'nested objects': (length) => submission({}, `{"a":`.repeat(length / 5)),
    members: (length) => submission({}, `{${Array.from({ length: length / 14 }, (_, at) => `"nam${1000 + at}":1`)}}`),
    'one long member': (length) => submission({}, `{"${'ü'.repeat(length / 2)}":1}`),
    'a number': (length) => submission({}, `{"name":1e${'9'.repeat(length)}}`),
    'white space': (length) => submission({}, `{${' '.repeat(length)}}`),
    'lone surrogates': (length) => submission({}, `{"notes":"${repeat('\\ud800', length)}"}`),
  },
]
places.targets = [15_000, filled('target', (value) => http(`GET ${value.replaceAll(/\s/g, '+')}`, {}))]

let service: Service
/** CPU time of a submission with a full body, in microseconds. */
let fullBodyUs = Number.POSITIVE_INFINITY

before(async () => {
  service = await startService({ RATE_LIMIT: '1000000' })
  const empty = JSON.stringify({ ...quote, notes: 'x' })
  const full = JSON.stringify({ ...quote, notes: `x${' '.repeat(20_000 - empty.length)}` })
  for (let count = 0; count < 50; count++) await send(submission({}, full))
  for (let count = 0; count < 20; count++) fullBodyUs = Math.min(fullBodyUs, await send(submission({}, full)))
})
after(() => service.stop())

/** The CPU time of a request, in microseconds. */
async function send(request: string): Promise<number> {
  const socket = await openRaw(service.url)
  const before = process.cpuUsage()
  socket.write(request)
  const { status } = await readRaw(socket)
  const { user, system } = process.cpuUsage(before)
  assert(status < 500, `${status}`)
  return user + system
}

for (const [place, [length, texts]] of Object.entries(places)) {
  test(`${place}: no request costs more than a few full bodies, whatever it contains`, async () => {
    for (const [what, make] of Object.entries(texts)) {
      let half = await send(make(length / 2))
      let whole = await send(make(length))
      for (let count = 1; count < tries && !(whole < growthMax * half && whole < costMax * fullBodyUs); count++) {
        half = Math.min(half, await send(make(length / 2)))
        whole = Math.min(whole, await send(make(length)))
      }
      assert(whole < growthMax * half, `${what}: ${half} µs, and ${whole} µs for twice as much`)
      assert(whole < costMax * fullBodyUs, `${what}: ${whole} µs; a full body ${fullBodyUs} µs`)
    }
  })
}
