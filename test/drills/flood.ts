// A thread that floods a service with submissions and reports the answers.
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { newLead, submit } from '../support/load.ts'

/** The answers to a flood. */
export interface Flood {
  /** How often each problem code, or else each status, was the answer. */
  codes: Map<string, number>
  longestMs: number
}

/** More than the service accepts at once (2,000), so that it must shed load. */
const callers = 2_300
const floodMs = 8_000
/** How long the arrivals take, in milliseconds: less than the service makes callers wait. */
const arrivalMs = 2_500
/** How long a caller waits before its retry, in milliseconds. */
const pauseMs = 1_000
/** Almost the maximum size of a submission. */
const bodyBytes = 19_900

const url: string = workerData
const agent = new Agent({ keepAlive: true })
const heard: Flood = { codes: new Map(), longestMs: 0 }
const endMs = performance.now() + floodMs

async function call(caller: number): Promise<void> {
  // Measures the service, not how fast this thread opens connections.
  await delay((caller / callers) * arrivalMs)
  for (let round = 0; performance.now() < endMs; round++) {
    const startedMs = performance.now()
    const reply = await submit(agent, url, `10.${round}.${caller >> 8}.${caller & 255}`, newLead().padEnd(bodyBytes))
    heard.longestMs = Math.max(heard.longestMs, performance.now() - startedMs)
    const code = reply.status === 503 ? (JSON.parse(reply.body) as { code: string }).code : String(reply.status)
    heard.codes.set(code, (heard.codes.get(code) ?? 0) + 1)
    await delay(pauseMs)
  }
}

await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
agent.destroy()
parentPort?.postMessage(heard)
