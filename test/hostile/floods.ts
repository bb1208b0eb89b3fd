import { gzipSync } from 'node:zlib'
import { frame, http2Preface } from '../support/http2-frames.ts'

/** What each connection of a flood does. When its other end closes it, another one is opened. */
export interface Flood {
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

const get = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n'
const post = 'POST /api/v1/leads HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const filled = (request: string) => Buffer.from(request.repeat(Math.floor(65_536 / request.length)))
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
const field = (name: string, value: string) => `${name}: ${value}\r\n`
const gzipBomb = gzipSync(Buffer.alloc(10_000_000))
const gzipHead = `${post}Content-Encoding: gzip\r\nContent-Length: ${gzipBomb.length}\r\n\r\n`

export const floods: Record<string, Flood> = {
  'pipelined requests': { first: filled(`${get}\r\n`) },
  'pipelined requests whose answers are not read': { first: filled(`${get}\r\n`), reads: false },
  'pipelined requests with a body of a byte': { first: filled(`${get}Content-Length: 1\r\n\r\nx`) },
  'pipelined requests without a version': {
    first: filled('GET /\r\nConnection:keep-alive\r\nContent-Length:1\r\n\r\nx'),
  },
  'heads that arrive byte by byte': { first: Buffer.from(`${get}X-Slow: `), more: Buffer.from('x'), everyMs: 200 },
  'bodies that arrive byte by byte': {
    first: Buffer.from(`${post}Content-Length: 15000\r\n\r\n`),
    more: Buffer.from('x'),
    everyMs: 200,
  },
  'chunks of a byte': { first: Buffer.from(chunked), more: filled(chunk(1)) },
  'chunks of 21 bytes': { first: Buffer.from(chunked), more: filled(chunk(21)) },
  'empty lines': { first: Buffer.from('\r\n'), more: Buffer.from('\r\n'.repeat(30_000)) },
  '1,600 header fields': { first: filled(`${get}${field('x', 'y').repeat(1_600)}\r\n`) },
  'heads of 15 kB': { first: filled(`${get}${field('Cookie', 'x'.repeat(15_000))}\r\n`) },
  'resets in the middle of answers': { first: filled(`${get}\r\n`), ending: 'reset' },
  'half-closed connections': { first: Buffer.from(`${post}Content-Length: 500\r\n\r\n{`), ending: 'half-close' },
  'large bodies that expect 100 Continue': {
    first: Buffer.from(`${post}Expect: 100-continue\r\nContent-Length: 50000000\r\n\r\n`),
    more: Buffer.alloc(65_536, 'x'),
  },
  'gzip bombs': { first: Buffer.concat([Buffer.from(gzipHead), gzipBomb]) },
}

/** The header block of a request to Caddy, as literal fields that are not indexed (RFC 7541 §6.2.2). */
const literal = (name: string, value: string) =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)])
const names = { ':method': 'POST', ':scheme': 'https', ':path': '/api/v1/leads', ':authority': 'localhost' }
const block = Buffer.concat(
  Object.entries({ ...names, 'content-type': 'application/json' }).map(([name, value]) => literal(name, value)),
)
const start = Buffer.concat([http2Preface, frame(4, 0, 0, Buffer.alloc(0))])
const ids = Array.from({ length: 2_000 }, (_, index) => 2 * index + 1)
const cancel = Buffer.of(0, 0, 0, 8)

/** Toward Caddy, which is the only proxy of ours that speaks HTTP/2. */
export const http2Floods: Record<string, Flood> = {
  'HTTP/2 rapid reset': {
    first: Buffer.concat([start, ...ids.flatMap((id) => [frame(1, 4, id, block), frame(3, 0, id, cancel)])]),
  },
  'HTTP/2 bodies in frames of a byte': {
    first: Buffer.concat([start, frame(1, 4, 1, block)]),
    more: Buffer.concat(Array.from({ length: 2_000 }, () => frame(0, 0, 1, Buffer.from('x')))),
    everyMs: 20,
  },
}
