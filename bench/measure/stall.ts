import { readFileSync } from 'node:fs'
import { type WorstText, worstTexts } from '../../test/hostile/worst-texts.ts'
import { openRaw, readRaw } from '../../test/support/http.ts'
import type { Server } from '../server.ts'

/** How long a single request can block the event loop. */
export interface Stalls {
  requests: number
  /** Worst first: what the request was filled with, and how many milliseconds it blocked the event loop. */
  worst: readonly { what: string; ms: number }[]
}

/** How many of the worst requests are reported. */
const shown = 5
/** A suspicious request is repeated this many times. The minimum counts, because other activity only adds time. */
const tries = 5
/** Long enough for the work after an answer: the log line, the metrics, closing the connection. */
const settleMs = 3

/**
 * Sends a server each of the worst requests in the hostile tests, one at a time, and measures the CPU time of its main
 * thread for each. That covers all event-loop turns that the request caused; no single turn took longer.
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

/** The CPU time of a process's main thread so far. */
function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
