// The load generator, a process of its own: `node load.ts JSON`. Sends requests over keep-alive HTTP/1.1 connections,
// one at a time on each, and prints an `Outcome` as JSON.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface Load {
  port: number
  /** What to send. In each request, a new number takes the place of eight zeros, and `#` becomes a new address. */
  request: string
  /** The first number. */
  from: number
  /** Requests a second, however slowly the answers come (an open loop). 0: the next one when one is answered. */
  rate: number
  connections: number
  /** How long to measure, and how long to load before that. */
  seconds: number
  leadIn?: number
}

/** Latencies in milliseconds, from sending a request to the end of its answer. */
export interface Outcome {
  /** How long was measured. */
  seconds: number
  /** Answers by status. Those before and after the measurement count too. */
  statuses: Record<string, number>
  /** Answers below 400 during the measurement. */
  good: number
  /** Requests for which no connection was free at their time, so that they were never sent. */
  unsent: number
  /** Requests that were not answered within ten seconds after the end. */
  broken: number
  /** Of answers below 400. */
  p50: number
  p99: number
}

/** `sentMs`: 0 if no request is under way. `answer`: what has arrived of it. */
type Connection = { socket: Socket; sentMs: number; answer: string }

const patienceMs = 10_000
const load: Load = JSON.parse(process.argv[2] as string)
const leadInMs = (load.leadIn ?? 0) * 1_000
const endMs = leadInMs + load.seconds * 1_000
const pieces = load.request.split(/(0{8}|#)/)
const outcome: Outcome = { seconds: 0, statuses: {}, good: 0, unsent: 0, broken: 0, p50: Number.NaN, p99: Number.NaN }
const latencies: number[] = []
const free: Connection[] = []
let next = load.from
let startedMs = 0
const elapsedMs = () => performance.now() - startedMs
let pending = 0
let isOver = false

function nextRequest(): string {
  const n = next++
  const [number, address] = [String(n).padStart(8, '0'), `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`]
  return pieces.map((piece) => (piece === '#' ? address : piece === '00000000' ? number : piece)).join('')
}

function send(connection: Connection): void {
  connection.sentMs = performance.now()
  pending++
  connection.socket.write(nextRequest(), 'latin1')
}

/** The status of an answer that has arrived completely. */
function statusOf(answer: string): string | undefined {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = /content-length: (\d+)/i.exec(answer.slice(0, head))?.[1] ?? 0
  return answer.length >= head + 4 + Number(length) ? answer.slice(9, 12) : undefined
}

function onAnswer(connection: Connection, status: string): void {
  pending--
  outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
  if (status < '400') latencies.push(performance.now() - connection.sentMs)
  if (status < '400' && !isOver && elapsedMs() > leadInMs) outcome.good++
  connection.sentMs = 0
  connection.answer = ''
  if (load.rate === 0 && !isOver) send(connection)
  else free.push(connection)
}

/** Resolves when the connection is open. It is replaced when the server closes it. */
function open(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(load.port, '127.0.0.1').setNoDelay().setEncoding('latin1')
  const connection: Connection = { socket, sentMs: 0, answer: '' }
  socket.on('connect', () => {
    free.push(connection)
    resolve()
  })
  socket.on('data', (chunk) => {
    connection.answer += chunk
    const status = statusOf(connection.answer)
    if (status !== undefined) onAnswer(connection, status)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    const at = free.indexOf(connection)
    if (at !== -1) free.splice(at, 1)
    if (connection.sentMs > 0) {
      pending--
      outcome.broken++
    }
    if (!isOver) void open().then(resolve)
  })
  return promise
}

// A few at a time, because a server's queue of new connections is short.
for (let opened = 0; opened < load.connections; opened += 100)
  await Promise.all(Array.from({ length: Math.min(100, load.connections - opened) }, open))

startedMs = performance.now()
if (load.rate === 0) for (const connection of free.splice(0)) send(connection)
for (let due = 0; elapsedMs() < endMs; await delay(1)) {
  for (const now = (elapsedMs() / 1_000) * load.rate; due < now; due++) {
    const connection = free.shift()
    if (connection) send(connection)
    else outcome.unsent++
  }
}
isOver = true
outcome.seconds = (elapsedMs() - leadInMs) / 1_000
while (pending > 0 && elapsedMs() < endMs + patienceMs) await delay(5)
outcome.broken += pending
latencies.sort((a, b) => a - b)
const quantile = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN
Object.assign(outcome, { p50: quantile(0.5), p99: quantile(0.99) })
process.stdout.write(JSON.stringify(outcome), () => process.exit())
