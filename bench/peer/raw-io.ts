import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Redis, type Result } from 'ioredis'
import pg from 'pg'
import type { Quote, Receipt } from './common.ts'
import { bodyMaxBytes, createLead, patterns, policy, port, setting } from './common.ts'

// The yardstick: bare node:http, hand-written validation, one pipelined script per request, group commit. It does only
// the necessary work, so no framework can be faster.

declare module 'ioredis' {
  interface RedisCommander<Context> {
    count(key: string, windowMs: number): Result<[used: number, msLeft: number], Context>
  }
}

const redis = new Redis(setting('REDIS_URL'), { enableAutoPipelining: true })
redis.defineCommand('count', {
  numberOfKeys: 1,
  lua: `
    local used = redis.call('incr', KEYS[1])
    if used > 1 then return {used, redis.call('pttl', KEYS[1])} end
    redis.call('pexpire', KEYS[1], ARGV[1])
    return {used, tonumber(ARGV[1])}`,
})

const texts = 'name phone email bedrooms bathrooms service notes'
const names = new Set(`${texts} communicationsConsent consentTimestamp pageUrl`.split(' '))

const isText = (value: unknown, max: number) => typeof value === 'string' && value.length > 0 && value.length <= max

const isForm = (value: unknown, pattern: RegExp, max = 254) => isText(value, max) && pattern.test(value as string)

function isQuote(value: unknown): value is Quote {
  if (typeof value !== 'object' || value === null) return false
  for (const name in value) if (!names.has(name)) return false
  const quote = value as Record<keyof Quote, unknown>
  return (
    isText(quote.name, 200) &&
    isForm(quote.phone, patterns.phone) &&
    isForm(quote.email, patterns.email) &&
    isForm(quote.bedrooms, patterns.count) &&
    isForm(quote.bathrooms, patterns.count) &&
    isText(quote.service, 100) &&
    isText(quote.notes, 5_000) &&
    quote.communicationsConsent === true &&
    (quote.consentTimestamp === undefined || isForm(quote.consentTimestamp, patterns.utcDateTime)) &&
    (quote.pageUrl === undefined || isForm(quote.pageUrl, patterns.url, 2_048))
  )
}

function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyMaxBytes) chunks.push(chunk)
    })
    request.on('end', () => resolve(bytes > bodyMaxBytes ? undefined : Buffer.concat(chunks).toString()))
    request.on('error', reject)
  })
}

/** Leads that arrive during a commit are batched into the next one: one statement, one fsync. */
const insertLeads = 'INSERT INTO leads SELECT * FROM json_populate_recordset(NULL::leads, $1)'
const batchMax = 128
const database = new pg.Client(setting('DATABASE_URL'))
await database.connect()
const queue: { row: object; resolve(): void }[] = []
let running = false

async function commitQueue(): Promise<void> {
  while (queue.length > 0) {
    const batch = queue.splice(0, batchMax)
    const values = [JSON.stringify(batch.map(({ row }) => row))]
    // An error ends the process, and so the run.
    await database.query({ name: 'insert_leads', text: insertLeads, values })
    for (const { resolve } of batch) resolve()
  }
  running = false
}

function store(quote: Quote): Promise<Receipt> {
  return new Promise((resolve) => {
    const { receipt, row } = createLead(quote)
    queue.push({ row, resolve: () => resolve(receipt) })
    if (running) return
    running = true
    // Leads that arrive in the same event-loop turn join the batch.
    setImmediate(commitQueue)
  })
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const forwardedFor = request.headers['x-forwarded-for'] as string | undefined
  const client = forwardedFor?.slice(forwardedFor.lastIndexOf(',') + 1).trim() ?? request.socket.remoteAddress
  const [[used, msLeft], text] = await Promise.all([
    redis.count(`leads:${client}`, policy.windowSeconds * 1000),
    readBody(request),
  ])
  const resetSeconds = Math.ceil(msLeft / 1000)
  const answer = (status: number, body: object, extra?: Record<string, string>) => {
    const content = JSON.stringify(body)
    response.writeHead(status, {
      'RateLimit-Limit': policy.limit,
      'RateLimit-Remaining': Math.max(0, policy.limit - used),
      'RateLimit-Reset': resetSeconds,
      'RateLimit-Policy': `${policy.limit};w=${policy.windowSeconds}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content),
      ...extra,
    })
    response.end(content)
  }
  if (used > policy.limit) return answer(429, { code: 'rate_limited' }, { 'Retry-After': String(resetSeconds) })
  if (text === undefined) return answer(413, { code: 'body_too_large' })
  const quote = JSON.parse(text)
  if (!isQuote(quote)) return answer(422, { code: 'validation_failed' })
  answer(201, await store(quote))
}

createServer((request, response) => {
  handle(request, response).catch((error) => {
    console.error(error)
    response.writeHead(500).end()
  })
}).listen(port, '127.0.0.1')
