import { readFileSync } from 'node:fs'
import { type WorstText, worstTexts } from '../../test/hostile/worst-texts.ts'
import { openRaw, readRaw } from '../../test/support/http.ts'
import type { Server } from '../server.ts'

/** What single requests cost the event loop at most. */
export interface Stalls {
  requests: number
  /** The worst first: what the request was filled with, and how long it kept the loop, in milliseconds. */
  worst: readonly { what: string; ms: number }[]
}

/** How many of the worst are kept. */
const shown = 5
/** A request that looks bad is sent so many times more; the least counts, since whatever else happens only adds. */
const tries = 5
/** Long enough for what follows an answer: the log line, the metrics, the end of the connection. */
const settleMs = 3

/**
 * Sends a server each of the worst requests that the hostile tests know, one at a time, and takes what its main thread ran
 * for each. That is every turn of the event loop which the request caused: no single one of them was longer.
 */
export async function measureStalls(server: Server): Promise<Stalls> {
  const least = new Map<WorstText, number>()
  for (const text of worstTexts) least.set(text, await costOf(server, text))
  const worst = () => [...least].sort(([, a], [, b]) => b - a).slice(0, shown)
  const confirmed = new Set<WorstText>()
  for (let next = worst()[0]; next; next = worst().find(([text]) => !confirmed.has(text))) {
    const [text, ms] = next
    const more: number[] = []
    for (let count = 0; count < tries; count++) more.push(await costOf(server, text))
    least.set(text, Math.min(ms, ...more))
    confirmed.add(text)
  }
  return { requests: worstTexts.length, worst: worst().map(([{ what }, ms]) => ({ what, ms })) }
}

async function costOf({ pid, publicUrl }: Server, { make, length }: WorstText): Promise<number> {
  const request = make(length)
  const before = mainThreadMs(pid)
  const socket = await openRaw(publicUrl)
  socket.write(request)
  await readRaw(socket)
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  return mainThreadMs(pid) - before
}

/** What the main thread of a process has run so far. */
function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
