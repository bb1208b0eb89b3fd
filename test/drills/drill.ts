import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { assertProblem, freshClient, post, rateOf } from '../support/http.ts'
import { type Load, newLead, startLoad } from '../support/load.ts'
import { runningMs } from '../support/stalls.ts'
import { type Fleet, limit, replicaCount } from './fleet.ts'
import { startGreedyClients } from './greedy-clients.ts'
import { becomes, normal, type Picture, stays } from './picture.ts'

/** One failure to inject. */
export interface Outage {
  begin(): Promise<void> | void
  /** What every replica reports during the failure. Absent: nothing visible to callers. */
  told?: Picture
  /** Whether `begin` also ends the failure, so that there is nothing to observe in between. */
  brief?: boolean
  end?(): Promise<void> | void
  /** How often Redis loses its counts. */
  countsLost?: number
  /** Whether connections may break, in addition to 503 answers. */
  mayBreak?: boolean
}

/** The maximum duration of a request, and of the time until the failure is reported (docs/specification.md §6, §7). */
const answerMs = 6_000
/** The maximum time until a replica recovers by itself. */
const recoveryMs = 10_000

/** How long the load runs before and after the failure, and in it. */
const quietMs = 500
const outageMs = 2_000

/** What one replica admits of a client while it counts on its own. */
const share = Math.floor(limit / replicaCount)

const load = { connections: 24, perSecond: 120, resend: true }

const results: string[][] = [
  ['drill', 'acknowledged', 'stored', 'over-admitted', 'longest gap', 'longest request', 'told after', 'back after'],
]
const seconds = (ms: number | undefined) => (ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`)

/** The results of all drills so far, as a Markdown table. */
export function formatResults(): string {
  const [head = [], ...rows] = results
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/**
 * Puts a fleet under steady load, injects a failure, and verifies what every drill promises: each acknowledged lead is
 * stored once, no client is admitted more than its limit, replicas report the failure, callers get a clear answer in
 * time, and everything recovers without a restart.
 */
export async function drill(name: string, fleet: Fleet, outage: Outage): Promise<void> {
  const { replicas } = fleet
  const running = startLoad(fleet.urls, load)
  const greedy = startGreedyClients(fleet.urls)
  let toldMs: number | undefined
  let backMs: number | undefined
  let others: string[] = []
  let books: Awaited<ReturnType<typeof greedy.stop>>
  try {
    await becomes(replicas, normal, recoveryMs)
    await proceeds(running)
    await delay(quietMs)

    await outage.begin()
    if (outage.told) {
      toldMs = await becomes(replicas, outage.told, answerMs)
      if (!outage.brief) {
        others = await assertAnswers(fleet, outage.told)
        await stays(replicas, outage.told, outageMs)
      }
    }
    await outage.end?.()
    if (outage.told) backMs = await becomes(replicas, normal, recoveryMs)
    else await becomes(replicas, normal, recoveryMs)
    await proceeds(running)
    await delay(quietMs)
  } finally {
    const stopped = Promise.all([greedy.stop(), running.stop()])
    ;[books] = await stopped
  }

  const { ledger } = running
  const acknowledged = [...ledger.acknowledged, ...books.acknowledged, ...others]
  const { leads, consents, distinct } = await fleet.readContents()
  const overAdmittedBound = (await fleet.fallbacks()) * share + (outage.countsLost ?? 0) * limit
  const overAdmitted = Math.max(0, books.mostAdmitted - limit)
  const longestRequestMs = Math.max(ledger.longestMs, books.longestMs)
  const counts = [acknowledged.length, leads.length].map(String)
  const times = [ledger.longestGapMs, longestRequestMs, toldMs, backMs].map(seconds)
  results.push([name, ...counts, `${overAdmitted} (at most ${overAdmittedBound})`, ...times])

  const stored = new Set(leads)
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'an id was returned twice')
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
    'acknowledged, but not stored',
  )
  assert.equal(distinct, leads.length, 'a lead was stored twice')
  assert.deepEqual(new Set(consents), stored, 'every lead has its consent record')
  assert(books.mostAdmitted >= limit, 'no client has used up its limit')
  assert(overAdmitted <= overAdmittedBound, `${overAdmitted} over the limit, not ${overAdmittedBound}`)
  assert(longestRequestMs < answerMs, `a request took ${Math.round(longestRequestMs)} ms`)
  const answers = new Set(ledger.others.keys())
  if (outage.told?.status === 'unavailable') answers.delete('503')
  if (outage.mayBreak) answers.delete('error')
  assert.deepEqual([...answers], [], `answers that the outage does not explain: ${JSON.stringify([...ledger.others])}`)
}

/** Waits until the load's leads are accepted. */
async function proceeds({ ledger }: Load): Promise<void> {
  const wanted = ledger.acknowledged.length + 50
  const endMs = runningMs() + recoveryMs
  while (ledger.acknowledged.length < wanted) {
    assert(runningMs() < endMs, `leads are not taken: ${JSON.stringify([...ledger.others])}`)
    await delay(50)
  }
}

/** What another caller gets from each replica during the failure. Returns the ids of the accepted leads. */
async function assertAnswers({ replicas }: Fleet, { status }: Picture): Promise<string[]> {
  const ids = await Promise.all(
    replicas.map(async ({ url }) => {
      const startedMs = runningMs()
      const answer = await post(url, newLead(), { client: freshClient() })
      assert(runningMs() - startedMs < answerMs)
      if (status !== 'unavailable') {
        assert.equal(answer.status, 201)
        assert.equal(rateOf(answer).limit, share, 'the numbers sent are those enforced')
        return answer.json.id as string
      } else {
        assertProblem(answer, 503, 'service_unavailable')
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
        return []
      }
    }),
  )
  return ids.flat()
}
