import { gzipSync } from 'node:zlib'

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
const gzipBomb = gzipSync(Buffer.alloc(10_000_000))
const gzipHead = `${post}Content-Encoding: gzip\r\nContent-Length: ${gzipBomb.length}\r\n\r\n`

export const floods: Record<string, Flood> = {
  'pipelined requests whose answers are not read': { first: filled(`${get}\r\n`), reads: false },
  'heads that arrive byte by byte': { first: Buffer.from(`${get}X-Slow: `), more: Buffer.from('x'), everyMs: 200 },
  'bodies that arrive byte by byte': {
    first: Buffer.from(`${post}Content-Length: 15000\r\n\r\n`),
    more: Buffer.from('x'),
    everyMs: 200,
  },
  'chunks of a byte': { first: Buffer.from(`${post}Transfer-Encoding: chunked\r\n\r\n`), more: filled('1\r\nx\r\n') },
  'empty lines': { first: Buffer.from('\r\n'), more: Buffer.from('\r\n'.repeat(30_000)) },
  '1,600 header fields': { first: filled(`${get}${'x: y\r\n'.repeat(1_600)}\r\n`) },
  'resets in the middle of answers': { first: filled(`${get}\r\n`), ending: 'reset' },
  'half-closed connections': { first: Buffer.from(`${post}Content-Length: 500\r\n\r\n{`), ending: 'half-close' },
  'large bodies that expect 100 Continue': {
    first: Buffer.from(`${post}Expect: 100-continue\r\nContent-Length: 50000000\r\n\r\n`),
    more: Buffer.alloc(65_536, 'x'),
  },
  'gzip bombs': { first: Buffer.concat([Buffer.from(gzipHead), gzipBomb]) },
}
