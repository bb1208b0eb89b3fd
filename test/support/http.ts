import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { quote } from './submissions.ts'
import { until, within } from './until.ts'

/** An answer as received on the wire. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  json: Json
}

export type Json = { [name: string]: unknown } & {
  errors?: { pointer: string; code: string; detail: string; hint: string; suggestion?: string }[]
}

let clients = 0

/** A client address that no other call in this process uses. The service under test trusts loopback as a proxy. */
export function freshClient(): string {
  clients++
  return `198.18.${(clients >> 8) & 255}.${clients & 255}`
}

export async function read(response: Response): Promise<Answer> {
  return answerOf(response.status, response.headers, await response.text())
}

function answerOf(status: number, headers: Headers, text: string): Answer {
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '')
  return { status, headers, text, json: isJson && text ? JSON.parse(text) : {} }
}

type PostOptions = { path?: string; client?: string; headers?: Record<string, string> }

/** Posts a body as JSON, from a new client unless one is given. A string is sent unchanged. */
export async function post(url: string, body: unknown = quote, options: PostOptions = {}): Promise<Answer> {
  const { path = '/api/v1/leads', client = freshClient(), headers } = options
  return read(
    await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': client, ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  )
}

export async function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return read(await fetch(url, { method, headers, redirect: 'manual' }))
}

/** A connection for sending raw bytes. */
export async function openRaw(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

/** Sends bytes and reads until the server closes the connection, or the content is complete according to its length. */
export async function raw(url: string, request: string | Buffer): Promise<Answer> {
  const socket = await openRaw(url)
  socket.write(request)
  return readRaw(socket)
}

/** The statuses of all answers to these bytes, until the service closes the connection. */
export async function statusesOf(url: string, request: string): Promise<number[]> {
  const socket = await openRaw(url)
  socket.write(request)
  const text = (await socket.setEncoding('utf8').toArray()).join('')
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}

/** Reads one answer from a raw connection. */
export async function readRaw(socket: Socket): Promise<Answer> {
  const chunks: Buffer[] = []
  async function readAnswer() {
    for await (const chunk of socket) {
      chunks.push(chunk)
      if (isComplete(Buffer.concat(chunks).toString('latin1'))) return
    }
  }
  // A connection may break once its answer has arrived.
  await within(20_000, 'an answer', readAnswer()).catch(() => {})
  socket.destroy()
  return parseAnswer(Buffer.concat(chunks).toString('utf8'))
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)\r?$/im.exec(text.slice(0, end))?.[1]
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)
}

/** Parses an HTTP/1.1 answer without the service's code. */
export function parseAnswer(text: string): Answer {
  const end = text.indexOf('\r\n\r\n')
  assert(end > 0, `no answer: ${JSON.stringify(text.slice(0, 80))}`)
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(': ')
    headers.append(line.slice(0, colon), line.slice(colon + 2))
  }
  return answerOf(status, headers, text.slice(end + 4))
}

/** Checks everything that docs/specification.md §5 requires of a problem (RFC 9457). */
export function assertProblem(answer: Answer, status: number, code: string, baseUrl?: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/problem+json')
  assert.equal(answer.headers.get('content-language'), 'en')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  const { json } = answer
  assert.equal(json.code, code)
  assert.equal(json.status, status)
  assert.equal(json.error, json.detail)
  for (const name of ['title', 'detail', 'hint']) assert(String(json[name] ?? '').length > 5, name)
  assert.equal(typeof json.retryable, 'boolean')
  assert.equal(json.retry === 'after_wait', json.retryable)
  assert(['never', 'after_correction', 'after_wait'].includes(String(json.retry)), String(json.retry))
  const wait = answer.headers.get('retry-after')
  if (json.retryable) assert.equal(json.retryAfterSeconds, wait === null ? undefined : Number(wait))
  assert.deepEqual(json.allowedMethods, answer.headers.get('allow')?.split(', '))
  assert.match(String(json.type), new RegExp(`^https?://[^/]+/problems/${code}$`))
  if (baseUrl) assert(String(json.type).startsWith(baseUrl))
  assert.equal(json.instance, `urn:uuid:${answer.headers.get('x-request-id')}`)
  assert.match(String(json.instance), /^urn:uuid:[0-9a-f-]{36}$/)
  for (const name of Object.keys(json)) assert.match(name, /^[A-Za-z][A-Za-z0-9_]{2,}$/)
  for (const error of json.errors ?? []) {
    const { suggestion, ...others } = error
    assert.deepEqual(Object.keys(others), ['pointer', 'code', 'detail', 'hint'])
    if (suggestion !== undefined) assert(error.hint.includes(suggestion), error.hint)
    assert.match(error.pointer, /^#\//)
  }
}

/** Parses the four rate-limit fields as in the draft (draft-ietf-httpapi-ratelimit-headers-06 §3). */
export function rateOf({ headers }: Answer): { limit: number; remaining: number; reset: number; policy: string } {
  const number = (name: string) => {
    const text = headers.get(`ratelimit-${name}`) ?? ''
    assert.match(text, /^\d+$/, name)
    return Number(text)
  }
  const policy = headers.get('ratelimit-policy') ?? ''
  assert.match(policy, /^\d+;w=\d+$/)
  const [limit, remaining, reset] = [number('limit'), number('remaining'), number('reset')]
  assert(reset <= Number(policy.split('=')[1]))
  for (const other of ['ratelimit', 'x-ratelimit-limit']) assert.equal(headers.get(other), null)
  return { limit, remaining, reset, policy }
}

/** The text of /readyz. */
export const readinessOf = async ({ opsUrl }: { opsUrl: string }) => (await get(`${opsUrl}/readyz`)).text

/** Waits until it begins like this. */
export const untilReady = (service: { opsUrl: string }, beginning = 'ok\n') =>
  until(beginning, async () => (await readinessOf(service)).startsWith(beginning))

/** The value of a metric with these labels, or 0 if it has none. */
export async function metricOf(opsUrl: string, name: string): Promise<number> {
  const { text } = await get(`${opsUrl}/metrics`)
  const line = text.split('\n').find((other) => other.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}
