import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { runningMs } from '../support/stalls.ts'
import type { Replica } from './fleet.ts'

/** What a replica reports: `/readyz`, and the status in `/api/v1`. */
export interface Picture {
  ready: boolean
  status: 'operational' | 'degraded' | 'unavailable'
}

export const normal: Picture = { ready: true, status: 'operational' }
export const degraded: Picture = { ready: true, status: 'degraded' }
/** The database is down for every replica, so none becomes unready. */
export const unavailable: Picture = { ready: true, status: 'unavailable' }

/** Timeout of these requests: no answer of the service may take longer. */
const answerMs = 6_000
const pollMs = 100

async function look({ url, opsUrl }: Replica): Promise<Picture> {
  const ask = (address: string) => fetch(address, { signal: AbortSignal.timeout(answerMs) })
  const [ready, root] = await Promise.all([ask(`${opsUrl}/readyz`), ask(`${url}/api/v1`)])
  const text = await ready.text()
  assert.match(
    text,
    ready.ok ? /^ok(, but (database|limiter|clock): .+)?$/m : /^not ready: ./,
    'what is wrong is named',
  )
  return { ready: ready.ok, status: ((await root.json()) as Picture).status }
}

function isSame(one: Picture, other: Picture): boolean {
  return one.ready === other.ready && one.status === other.status
}

/** Waits until every replica reports this. Returns how many milliseconds it took. */
export async function becomes(replicas: readonly Replica[], wanted: Picture, withinMs: number): Promise<number> {
  const startedMs = runningMs()
  for (;;) {
    const pictures = await Promise.all(replicas.map(look))
    const tookMs = runningMs() - startedMs
    if (pictures.every((picture) => isSame(picture, wanted))) return tookMs
    assert(tookMs < withinMs, `${JSON.stringify(pictures)} after ${Math.round(tookMs)} ms, not ${wanted.status}`)
    await delay(pollMs)
  }
}

/** Verifies for a while that the replicas' reports do not change. */
export async function stays(replicas: readonly Replica[], wanted: Picture, forMs: number): Promise<void> {
  const endMs = performance.now() + forMs
  do {
    for (const picture of await Promise.all(replicas.map(look))) assert.deepEqual(picture, wanted)
    await delay(pollMs)
  } while (performance.now() < endMs)
}
