import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { leadRules } from '../../src/lead/rules.ts'
import { headerMaxLengths } from '../../src/rest/header-bounds.ts'
import { openRaw, readRaw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'

/** The most that a header block has room for beside the rest, and a body. */
const headerLength = 15_000
const fieldLength = 19_000
/** Twice the text may cost twice as much; a parser that goes back for every character costs four times as much. */
const growthMax = 3
/** How many times the cost of a submission with a full body a request may cost at most. */
const costMax = 5
/** The least of so many tries counts: whatever else happens in this process only adds to a try. */
const tries = 8

const headers = [
  ...Object.keys(headerMaxLengths),
  ...['x-forwarded-for', 'user-agent', 'origin', 'access-control-request-method', 'expect', 'x-request-id'],
  ...['authorization', 'traceparent', 'tracestate', 'cookie', 'x-unknown'],
]

/** What parsers stumble over: each alone, and repeated after a beginning that makes them hope. */
const repeated = [
  ' ',
  '\t',
  '"',
  '\\',
  ';',
  ',',
  ':',
  '=',
  '.',
  '/',
  '[',
  ']',
  '(',
  '%',
  '@',
  '*',
  '-',
  '+',
  '0',
  'a',
  'a,',
  '1.',
  '::',
  ';a=',
  ';q=',
  '\\"',
  'W/"',
  '{"',
]
const beginnings: Record<string, string[]> = {
  'content-type': ['application/json', 'application/json;charset="'],
  accept: ['a/b;x="', 'text/html;q='],
  'accept-encoding': ['gzip;q=', 'br,'],
  'x-forwarded-for': ['[', '1.2.3.4,', '127.0.0.1,'],
  'idempotency-key': ['"'],
  'if-none-match': ['"'],
  host: ['a:', '['],
  phone: ['+1', '('],
  email: ['a@', 'a@a.'],
  pageUrl: ['https://', 'https://a@'],
  consentTimestamp: ['2026-11-22T00:00:00.'],
}

let service: Service
/** CPU time of a submission with a full body, in microseconds. */
let fullBodyUs: number

before(async () => {
  service = await startService({ RATE_LIMIT: '1000000' })
  const body = JSON.stringify({ ...quote, notes: 'x' })
  const full = () => submission({}, JSON.stringify({ ...quote, notes: `x${' '.repeat(20_000 - body.length)}` }))
  for (let count = 0; count < 50; count++) await send(full())
  fullBodyUs = await leastCpu(full(), 20)
})
after(() => service.stop())

function submission(fields: Record<string, string>, body: string): string {
  const all = {
    host: 'a',
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(body)}`,
    ...fields,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /api/v1/leads HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

function reading(fields: Record<string, string>): string {
  const lines = Object.entries({ host: 'a', ...fields }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET /api-docs HTTP/1.1\r\n${lines.join('')}\r\n`
}

async function send(request: string): Promise<number> {
  const socket = await openRaw(service.url)
  const before = process.cpuUsage()
  socket.write(request)
  const { status } = await readRaw(socket)
  const { user, system } = process.cpuUsage(before)
  assert(status < 500, `${status}`)
  return user + system
}

async function leastCpu(request: string, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < times; count++) least = Math.min(least, await send(request))
  return least
}

/** Holds a request that is made of a text to its bounds. Tries again only where a first look is not good enough. */
async function assertCheap(make: (length: number) => string, length: number, what: string): Promise<void> {
  let half = await send(make(length / 2))
  let whole = await send(make(length))
  for (let count = 1; count < tries && !(whole < growthMax * half && whole < costMax * fullBodyUs); count++) {
    half = Math.min(half, await send(make(length / 2)))
    whole = Math.min(whole, await send(make(length)))
  }
  assert(whole < growthMax * half, `${what}: ${half} µs, and ${whole} µs for twice as much`)
  assert(whole < costMax * fullBodyUs, `${what}: ${whole} µs; a full body ${fullBodyUs} µs`)
}

/** Texts of a length: a beginning, something repeated, and an end that is none. */
function textsFor(name: string): [what: string, make: (length: number) => string][] {
  return ['', ...(beginnings[name] ?? [])].flatMap((beginning) =>
    repeated.map((fragment): [string, (length: number) => string] => [
      `${name}: ${beginning}${fragment}…`,
      (length) => `${beginning}${fragment.repeat(Math.ceil(length / fragment.length)).slice(0, length)}x;`,
    ]),
  )
}

suite('no request costs more than a few full bodies, whatever it contains', () => {
  for (const name of headers) {
    test(`header ${name}`, async () => {
      const build = (value: string) =>
        name.startsWith('accept') || name.startsWith('if-')
          ? reading({ [name]: value })
          : submission({ [name]: value }, '{}')
      for (const [what, make] of textsFor(name)) await assertCheap((length) => build(make(length)), headerLength, what)
    })
  }

  for (const [kind, example] of [
    ['quote', quote],
    ['support', contact],
  ] as const) {
    for (const { name } of leadRules.v1[kind]) {
      test(`field ${name} of kind ${kind}`, async () => {
        for (const [what, make] of textsFor(name)) {
          // An escape takes two bytes, so the text is cut to what a body has room for.
          const body = (length: number) =>
            JSON.stringify({ ...example, [name]: make(length) }).length > 20_000
              ? JSON.stringify({ ...example, [name]: make(length / 2) })
              : JSON.stringify({ ...example, [name]: make(length) })
          await assertCheap((length) => submission({}, body(length)), fieldLength - 600, what)
        }
      })
    }
  }

  const shapes: [what: string, make: (length: number) => string][] = [
    ['nested lists', (length) => '['.repeat(length)],
    ['nested lists that end', (length) => `{"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`],
    ['nested objects', (length) => `{"a":`.repeat(length / 5)],
    [
      'unknown members',
      (length) => `{${Array.from({ length: length / 10 }, (_, index) => `"n${1000 + index}":1`).join()}}`,
    ],
    [
      'members that are nearly fields',
      (length) => `{${Array.from({ length: length / 14 }, (_, index) => `"nam${1000 + index}":1`).join()}}`,
    ],
    ['one long unknown member', (length) => `{"${'ü'.repeat(length / 2)}":1}`],
    ['escaped quotes', (length) => `{"name":"${'\\"'.repeat(length / 2)}"}`],
    ['backslashes', (length) => `{"name":"${'\\\\'.repeat(length / 2)}"}`],
    ['a number', (length) => `{"name":${'9'.repeat(length)}}`],
    ['a long exponent', (length) => `{"name":1e${'9'.repeat(length)}}`],
    ['white space', (length) => `{${' '.repeat(length)}}`],
    ['lone surrogates', (length) => `{"notes":"${'\\ud800'.repeat(length / 6)}"}`],
    ['bytes that are no UTF-8', (length) => `{"notes":"${'\xff'.repeat(length / 2)}"}`],
  ]
  test('bodies', async () => {
    for (const [what, make] of shapes) await assertCheap((length) => submission({}, make(length)), fieldLength, what)
  })

  test('targets', async () => {
    for (const fragment of ['/', '?', '%', '.', '../', '//', ':', '@', '[']) {
      for (const beginning of ['/', 'http://', 'http://a/', '/api/v1/leads?'])
        await assertCheap(
          (length) => `GET ${beginning}${fragment.repeat(length / fragment.length)} HTTP/1.1\r\nHost: a\r\n\r\n`,
          headerLength,
          `target ${beginning}${fragment}…`,
        )
    }
  })

  test('very many headers', async () => {
    for (const line of ['a:\r\n', 'x-forwarded-for: 127.0.0.1\r\n', 'cookie: a\r\n', 'accept: */*\r\n'])
      await assertCheap(
        (length) => reading({}).replace('\r\n\r\n', `\r\n${line.repeat(length / line.length)}\r\n`),
        headerLength,
        line.trim(),
      )
  })
})
