import { leadRules } from '../../src/lead/rules.ts'
import { contact, quote } from '../support/submissions.ts'

/** A request filled with text that may be slow to parse. The cost test and the benchmark send all of them. */
export interface WorstText {
  /** The header, field or other part of the request that is filled. */
  place: string
  what: string
  /** The longest text that fits. */
  length: number
  /** The request with a text of this many characters. */
  make(length: number): string
}

type Text = [what: string, make: (length: number) => string]

/** The largest value that fits into the headers next to the others, and into a body. */
const headerLength = 15_000
const fieldLength = 19_000
const examples = { quote, support: contact } as const

const headers = [
  ...['host', 'content-type', 'content-encoding', 'accept', 'accept-encoding', 'if-none-match'],
  ...['idempotency-key', 'consent-version'],
  ...['x-forwarded-for', 'user-agent', 'origin', 'access-control-request-method', 'expect', 'x-request-id'],
  ...['authorization', 'traceparent', 'tracestate', 'cookie', 'x-unknown'],
]

/** Fragments that are hard for parsers: each alone, and repeated after a promising prefix. */
const repeated = [...' \t"\\;,:=./[](%@*-+0a', 'a,', '1.', '::', ';a=', ';q=', '\\"', 'W/"', '{"']
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
}

const members = (name: string, count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"${name}${1000 + index}":1`).join()}}`

const shapes: Text[] = [
  ['nested lists', (length) => '['.repeat(length)],
  ['complete nested lists', (length) => `{"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`],
  ['nested objects', (length) => `{"a":`.repeat(length / 5)],
  ['unknown members', (length) => members('n', length / 10)],
  ['members that are nearly fields', (length) => members('nam', length / 14)],
  ['one long unknown member', (length) => `{"${'ü'.repeat(length / 2)}":1}`],
  ['escaped quotes', (length) => `{"name":"${'\\"'.repeat(length / 2)}"}`],
  ['backslashes', (length) => `{"name":"${'\\\\'.repeat(length / 2)}"}`],
  ['a number', (length) => `{"name":${'9'.repeat(length)}}`],
  ['a long exponent', (length) => `{"name":1e${'9'.repeat(length)}}`],
  ['white space', (length) => `{${' '.repeat(length)}}`],
  ['lone surrogates', (length) => `{"notes":"${'\\ud800'.repeat(length / 6)}"}`],
  ['bytes that are not UTF-8', (length) => `{"notes":"${'\xff'.repeat(length / 2)}"}`],
]

function http(start: string, fields: Record<string, string>, body = ''): string {
  const lines = Object.entries({ host: 'a', ...fields }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${start} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** A submission as raw HTTP. */
export function submission(fields: Record<string, string>, body: string): string {
  const length = `${Buffer.byteLength(body)}`
  const content = { 'content-type': 'application/json', 'content-length': length }
  return http('POST /api/v1/leads', { ...content, ...fields }, body)
}

const reading = (fields: Record<string, string>) => http('GET /api-docs', fields)

/** Texts of a given length: a prefix, a repeated fragment, and an invalid end. */
function textsFor(name: string): Text[] {
  return ['', ...(beginnings[name] ?? [])].flatMap((beginning) =>
    repeated.map(
      (fragment): Text => [
        `${name}: ${beginning}${fragment}…`,
        (length) => `${beginning}${fragment.repeat(Math.ceil(length / fragment.length)).slice(0, length)}x;`,
      ],
    ),
  )
}

const textsOf = (place: string, length: number, texts: Text[]): WorstText[] =>
  texts.map(([what, make]) => ({ place, what, length, make }))

function headerTexts(name: string): WorstText[] {
  const isRead = name.startsWith('accept') || name.startsWith('if-')
  const build = (value: string) => (isRead ? reading({ [name]: value }) : submission({ [name]: value }, '{}'))
  const texts = textsFor(name).map(([what, make]): Text => [what, (length) => build(make(length))])
  return textsOf(`header ${name}`, headerLength, texts)
}

function fieldTexts(kind: keyof typeof examples, name: string): WorstText[] {
  const body = (text: string) => JSON.stringify({ ...examples[kind], [name]: text })
  const texts = textsFor(name).map(([what, make]): Text => {
    // An escape takes two bytes, so the text is cut to fit into a body.
    const fitting = (length: number, whole = body(make(length))) =>
      whole.length > 20_000 ? body(make(length / 2)) : whole
    return [what, (length) => submission({}, fitting(length))]
  })
  return textsOf(`field ${name} of kind ${kind}`, fieldLength - 600, texts)
}

const bodyTexts = shapes.map(([what, make]): Text => [what, (length) => submission({}, make(length))])

const targetTexts = ['/', '?', '%', '.', '../', '//', ':', '@', '['].flatMap((fragment) =>
  ['/', 'http://', 'http://a/', '/api/v1/leads?'].map(
    (beginning): Text => [
      `target ${beginning}${fragment}…`,
      (length) => `GET ${beginning}${fragment.repeat(length / fragment.length)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ],
  ),
)

const manyHeaders = ['a:', 'x-forwarded-for: 127.0.0.1', 'cookie: a', 'accept: */*'].map(
  (line): Text => [
    `${line} and again`,
    (length) => reading({}).replace('\r\n\r\n', `\r\n${`${line}\r\n`.repeat(length / (line.length + 2))}\r\n`),
  ],
)

/** The worst known texts for every header, field and other part of a request that is parsed. */
export const worstTexts: readonly WorstText[] = [
  ...headers.flatMap(headerTexts),
  ...(['quote', 'support'] as const).flatMap((kind) => leadRules[kind].flatMap(({ name }) => fieldTexts(kind, name))),
  ...textsOf('bodies', fieldLength, bodyTexts),
  ...textsOf('targets', headerLength, targetTexts),
  ...textsOf('very many headers', headerLength, manyHeaders),
]
