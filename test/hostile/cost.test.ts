import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openRaw, readRaw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { submission, type WorstText, worstTexts } from './worst-texts.ts'

/** Doubling the text may double the cost. A parser that backtracks for every character costs four times as much. */
const growthMax = 3
/** The maximum cost of a request, as a multiple of a submission with a full body. */
const costMax = 5
/** The minimum of at most this many tries counts, because other activity on the machine only adds time. */
const tries = 100

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

/** Checks the cost of a request with a text. Repeats the measurement only when the first one exceeds a bound. */
async function assertCheap({ what, length, make }: WorstText): Promise<void> {
  let half = await send(make(length / 2))
  let whole = await send(make(length))
  for (let count = 1; count < tries && !(whole < growthMax * half && whole < costMax * fullBodyUs); count++) {
    half = Math.min(half, await send(make(length / 2)))
    whole = Math.min(whole, await send(make(length)))
  }
  assert(whole < growthMax * half, `${what}: ${half} µs, and ${whole} µs for twice as much`)
  assert(whole < costMax * fullBodyUs, `${what}: ${whole} µs; a full body ${fullBodyUs} µs`)
}

suite('no request costs more than a few full bodies, whatever it contains', () => {
  for (const [place, texts] of Map.groupBy(worstTexts, (text) => text.place)) {
    test(place, async () => {
      for (const text of texts) await assertCheap(text)
    })
  }
})
