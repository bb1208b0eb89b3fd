import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { newLead, submit } from '../support/load.ts'
import { runningMs } from '../support/stalls.ts'

/** Clients that take no notice of the limit. */
export interface GreedyClients {
  /** Resolves with the most that any one client was admitted, and the ids of the leads taken. */
  stop(): Promise<{ mostAdmitted: number; acknowledged: string[]; longestMs: number }>
}

/** How many there are in the end, one more each second. */
const clientsMax = 20
/** What each sends on its arrival, all at once: more than the limit. */
const burst = 12
/** How long each waits between later submissions. */
const pauseMs = 400

/**
 * Starts clients that arrive one a second, before, in and after an outage, and go on submitting to all replicas in turn
 * until the end. Whatever is not answered 429 was admitted, for a request counts whether it becomes a lead or not.
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
