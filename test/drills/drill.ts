import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { assertStored } from '../support/database.ts'
import { assertProblem, freshClient, metricOf, post, rateOf } from '../support/http.ts'
import { type Load, newLead, startLoad, submit } from '../support/load.ts'
import { until } from '../support/until.ts'
import { type Fleet, limit, type Replica, replicaCount } from './fleet.ts'

/** What every replica reports in `/api/v1`. None is unready when a backend is down for all of them. */
type Status = 'operational' | 'degraded' | 'unavailable'

/** One failure to inject. */
export interface Outage {
  begin(): Promise<void> | void
  /** What every replica reports during the failure. Absent: nothing visible to callers. */
  told?: Status
  end?(): Promise<void> | void
  /** Whether Redis loses its counts. */
  countsLost?: boolean
  /** Whether connections may break, in addition to 503 answers. */
  mayBreak?: boolean
}

/** How long the load runs before and after the failure, and in it. */
const quietMs = 500
const outageMs = 2_000

/** What one replica admits of a client while it counts on its own. */
const share = Math.floor(limit / replicaCount)

const load = { connections: 24, perSecond: 120, resend: true }

/**
 * Puts a fleet under steady load, injects a failure, and verifies what every drill promises: each acknowledged lead is
 * stored once, no client is admitted more than its limit, replicas report the failure, callers get a clear answer in
 * time, and everything recovers without a restart.
 */
export async function drill(fleet: Fleet, outage: Outage): Promise<void> {
  const { replicas } = fleet
  const running = startLoad(fleet.urls, load)
  const greedy = startGreedyClients(fleet.urls)
  let others: string[] = []
  let books: Awaited<ReturnType<typeof greedy.stop>>
  try {
    await becomes(replicas, 'operational')
    await proceeds(running)
    await delay(quietMs)

    await outage.begin()
    if (outage.told) {
      await becomes(replicas, outage.told)
      others = await assertAnswers(fleet, outage.told)
      const endMs = performance.now() + outageMs
      while (performance.now() < endMs) assert.deepEqual(await look(replicas), new Set([outage.told]))
    }
    await outage.end?.()
    await becomes(replicas, 'operational')
    await proceeds(running)
    await delay(quietMs)
  } finally {
    ;[books] = await Promise.all([greedy.stop(), running.stop()])
  }

  const { ledger } = running
  const acknowledged = [...ledger.acknowledged, ...books.acknowledged, ...others]
  const contents = await fleet.readContents()
  const overAdmittedBound = fleet.fallbacks() * share + (outage.countsLost ? limit : 0)
  const overAdmitted = Math.max(0, books.mostAdmitted - limit)
  assertStored(acknowledged, contents)
  assert.equal(contents.distinct, contents.leads.length, 'a lead was stored twice')
  assert(books.mostAdmitted >= limit, 'no client has used up its limit')
  assert(overAdmitted <= overAdmittedBound, `${overAdmitted} over the limit, not ${overAdmittedBound}`)
  const answers = new Set(ledger.others.keys())
  if (outage.told === 'unavailable') answers.delete('503')
  if (outage.mayBreak) answers.delete('error')
  assert.deepEqual([...answers], [], `answers that the outage does not explain: ${JSON.stringify([...ledger.others])}`)
}

/** The different reports of the replicas. */
async function look(replicas: readonly Replica[]): Promise<Set<string>> {
  const reports = replicas.map(async ({ url, opsUrl }) => {
    const [ready, root] = await Promise.all([fetch(`${opsUrl}/readyz`), fetch(`${url}/api/v1`)])
    // What is wrong is named.
    assert.match(await ready.text(), ready.ok ? /^ok(, but (database|limiter|clock): .+)?$/m : /^not ready: ./)
    return ready.ok ? ((await root.json()) as { status: Status }).status : 'not ready'
  })
  return new Set(await Promise.all(reports))
}

/** Waits until every replica reports this. */
async function becomes(replicas: readonly Replica[], wanted: Status): Promise<void> {
  await until(`every replica is ${wanted}`, async () => [...(await look(replicas))].join() === wanted)
}

/** Waits until the load's leads are accepted. */
async function proceeds({ ledger }: Load): Promise<void> {
  const wanted = ledger.acknowledged.length + 50
  await until('leads are taken', () => ledger.acknowledged.length >= wanted)
}

/** What callers get from each replica during the failure. Returns the ids of the accepted leads. */
async function assertAnswers({ replicas }: Fleet, status: Status): Promise<string[]> {
  const ids = await Promise.all(
    replicas.map(async ({ url, opsUrl }) => {
      assert.equal((await fetch(`${opsUrl}/livez`)).status, 200)
      assert.equal((await fetch(`${url}/api-docs`)).status, 200, 'documents stay')
      assert.equal(await metricOf(opsUrl, 'lead_intake_limiter_fallback'), status === 'degraded' ? 1 : 0)
      assert.equal(await metricOf(opsUrl, 'lead_intake_store_up'), status === 'unavailable' ? 0 : 1)
      const answer = await post(url, newLead(), { client: freshClient() })
      if (status !== 'unavailable') {
        assert.equal(answer.status, 201)
        assert.equal(rateOf(answer).limit, share, 'the numbers sent are those enforced')
        return answer.json.id as string
      }
      assertProblem(answer, 503, 'service_unavailable')
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      return []
    }),
  )
  return ids.flat()
}

/** The final number of clients that ignore the limit. One more arrives each second. */
const greedyMax = 20
/** How many submissions each of them sends at once on arrival: more than the limit. */
const burst = 12
/** The delay between its later submissions, in milliseconds. */
const pauseMs = 400

/** Starts one client per second, which submits to all replicas in turn. Every answer but 429 counts as admitted. */
function startGreedyClients(urls: readonly string[]) {
  const admitted: number[] = []
  const acknowledged: string[] = []
  const stopped = new AbortController()
  let turn = 0

  async function ask(client: number): Promise<void> {
    const url = urls[turn++ % urls.length] as string
    const answer = await submit(url, `198.19.0.${client}`, newLead())
    if (answer?.status === 201) acknowledged.push(String(answer.json.id))
    if (answer && answer.status !== 429) admitted[client] = (admitted[client] ?? 0) + 1
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

  const done = Promise.all(Array.from({ length: greedyMax }, (_, client) => live(client)))
  return {
    /** Resolves with the most submissions admitted for any one client, and the ids of the accepted leads. */
    async stop() {
      stopped.abort()
      await done
      return { mostAdmitted: Math.max(0, ...admitted.filter(Boolean)), acknowledged }
    },
  }
}
