// The load generator, a process of its own: `node load.ts JSON`. Sends requests over keep-alive connections of HTTP/1.1, one
// at a time on each, and prints an `Outcome` as JSON.
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

export interface Load {
  host: string
  port: number
  /** What to send. In each request, a new number takes the place of each run of eight zeros, `#` that of an address. */
  request: string
  /** The first number. */
  from: number
  /** Requests a second, however fast the answers come. 0: the next one as soon as a connection is free. */
  rate: number
  connections: number
  seconds: number
  /** A connection of HTTP/1.1 that is not answered for so long is broken, in milliseconds. */
  patienceMs: number
}

/** Latencies in milliseconds, from the sending of a request to the end of its answer. */
export interface Outcome {
  seconds: number
  /** Answers by status. */
  statuses: Record<string, number>
  /** Requests for which no connection was free at their time, so that they were never sent. */
  unsent: number
  /** Requests without an answer. */
  broken: number
  /** Of answers below 400. */
  p50: number
  p99: number
}

const load: Load = JSON.parse(process.argv[2] as string)
/** Texts between which the number and the address go. */
const pieces = load.request.split(/(0{8}|#)/)
let next = load.from

function render(): string {
  const n = next++
  let text = ''
  for (const piece of pieces) {
    if (piece === '00000000') text += String(n).padStart(8, '0')
    else if (piece === '#') text += `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    else text += piece
  }
  return text
}

const outcome: Outcome = { seconds: 0, statuses: {}, unsent: 0, broken: 0, p50: Number.NaN, p99: Number.NaN }
const latencies: number[] = []
const free: Connection[] = []
let pending = 0
let isOver = false

interface Connection {
  socket: Socket
  sentMs: number
  /** What has arrived of the answer. */
  answer: string
}

/** The whole answer, if it has arrived: its status. */
function statusOf(answer: string): string | undefined {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = /content-length: (\d+)/i.exec(answer.slice(0, head))?.[1] ?? 0
  return answer.length >= head + 4 + Number(length) ? answer.slice(9, 12) : undefined
}

function send(connection: Connection): void {
  connection.sentMs = performance.now()
  connection.answer = ''
  pending++
  connection.socket.write(render(), 'latin1')
}

function onAnswer(connection: Connection, status: string): void {
  pending--
  outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
  if (status < '400') latencies.push(performance.now() - connection.sentMs)
  connection.sentMs = 0
  if (load.rate === 0 && !isOver) send(connection)
  else free.push(connection)
}

async function open(): Promise<void> {
  const connection: Connection = { socket: connect(load.port, load.host), sentMs: 0, answer: '' }
  const { socket } = connection
  socket.setNoDelay().setEncoding('latin1')
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
    if (!isOver) void open()
  })
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  free.push(connection)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

for (let opened = 0; opened < load.connections; opened += 100)
  await Promise.all(Array.from({ length: Math.min(100, load.connections - opened) }, open))

const startedMs = performance.now()
const endsMs = startedMs + load.seconds * 1000
if (load.rate === 0) for (const connection of free.splice(0)) send(connection)
for (let due = 0; performance.now() < endsMs; await pause(1)) {
  if (load.rate === 0) continue
  for (const now = ((performance.now() - startedMs) / 1000) * load.rate; due < now; due++) {
    const connection = free.shift()
    if (connection) send(connection)
    else outcome.unsent++
  }
}
isOver = true
outcome.seconds = (performance.now() - startedMs) / 1000
while (pending > 0 && performance.now() < endsMs + load.patienceMs) await pause(5)
outcome.broken += pending
latencies.sort((a, b) => a - b)
const quantile = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN
Object.assign(outcome, { p50: quantile(0.5), p99: quantile(0.99) })
process.stdout.write(JSON.stringify(outcome), () => process.exit())
