import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { newLead, submit } from '../support/load.ts'
import { runningMs } from '../support/stalls.ts'

/** Clients that ignore the limit. */
export interface GreedyClients {
  /** Resolves with the most submissions admitted for any one client, and the ids of the accepted leads. */
  stop(): Promise<{ mostAdmitted: number; acknowledged: string[]; longestMs: number }>
}

/** The final number of clients. One more arrives each second. */
const clientsMax = 20
/** How many submissions each client sends at once on arrival: more than the limit. */
const burst = 12
/** The delay between a client's later submissions, in milliseconds. */
const pauseMs = 400

/**
 * Starts one client per second, before, during and after an outage. Each keeps submitting to all replicas in turn until
 * the end. Every answer but 429 counts as admitted, because a request counts whether or not it becomes a lead.
 */
export function startGreedyClients(urls: readonly string[]): GreedyClients {
  const agent = new Agent({ keepAlive: true })
  const admitted: number[] = []
  const acknowledged: string[] = []
  const stopped = new AbortController()
  let longestMs = 0
  let turn = 0

  async function ask(client: number): Promise<void> {
    const startedMs = runningMs()
    const { status, body } = await submit(
      agent,
      urls[turn++ % urls.length] as string,
      `198.19.${client >> 8}.${client & 255}`,
      newLead(),
    )
    longestMs = Math.max(longestMs, runningMs() - startedMs)
    if (status === 201) acknowledged.push((JSON.parse(body) as { id: string }).id)
    if (status !== undefined && status !== 429) admitted[client] = (admitted[client] ?? 0) + 1
  }

  const pause = (ms: number) => delay(ms, undefined, { signal: stopped.signal }).catch(() => {})

  async function live(client: number): Promise<void> {
    await pause(client * 1_000)
    if (stopped.signal.aborted) return
    await Promise.all(Array.from({ length: burst }, () => ask(client)))
    while (!stopped.signal.aborted) {
      await pause(pauseMs)
      await ask(client)
    }
  }

  const done = Promise.all(Array.from({ length: clientsMax }, (_, client) => live(client)))
  return {
    async stop() {
      stopped.abort()
      await done
      agent.destroy()
      return { mostAdmitted: Math.max(0, ...admitted.filter(Boolean)), acknowledged, longestMs }
    },
  }
}
