import assert from 'node:assert/strict'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { assertStored, readContents } from '../support/database.ts'
import { assertProblem, freshClient, post } from '../support/http.ts'
import { type Load, newLead, startLoad } from '../support/load.ts'
import { type RunningService, runService } from '../support/process.ts'
import { until } from '../support/until.ts'

/** What every replica reports in `/api/v1`. None is unready when a backend is down for all of them. */
type Status = 'operational' | 'degraded' | 'unavailable'

/** One failure to inject. */
interface Outage {
  begin(): unknown
  /** What every replica reports during the failure. Absent: nothing visible to callers. */
  told?: Status
  end?(): unknown
}

type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Starts three replicas as processes that share these backends, or else databases of the run's own servers. */
export async function startFleet(stack: AsyncDisposableStack, settings: Record<string, string> = {}) {
  const { DATABASE_URL = await postgresUrl(), REDIS_URL = await redisUrl() } = settings
  const env = { REPLICAS: '3', LOG_LEVEL: 'warn', ...settings, DATABASE_URL, REDIS_URL }
  const start = async () => stack.use(await runService(env))
  const replicas = [await start(), await start(), await start()]
  /** Where the load goes. */
  const urls = replicas.map(({ url }) => url)
  /** Like an orchestrator: stops one replica after the other, leads callers to the others, and lets it drain. */
  async function replaceAll(): Promise<void> {
    for (const [index, old] of replicas.entries()) {
      old.child.kill('SIGTERM')
      urls.splice(index, 1)
      assert.equal(await old.exited, 0)
      replicas[index] = await start()
      urls.splice(index, 0, replicas[index].url)
    }
  }
  return { replicas, urls, databaseUrl: DATABASE_URL, replaceAll }
}

/**
 * Puts a fleet under steady load, injects a failure, and verifies what every drill promises: each acknowledged lead is
 * stored once, replicas report the failure, callers get a clear answer, and everything recovers without a restart.
 */
export async function drill({ replicas, urls, databaseUrl }: Fleet, { begin, told, end }: Outage): Promise<void> {
  const load = startLoad(urls, { connections: 24, perSecond: 120 })
  let others: string[] = []
  try {
    await becomes(replicas, 'operational')
    await proceeds(load)
    await begin()
    if (told) {
      await becomes(replicas, told)
      others = await assertAnswers(replicas, told)
      assert.deepEqual(await look(replicas), new Set([told]), 'it lasts')
    }
    await end?.()
    await becomes(replicas, 'operational')
    await proceeds(load)
  } finally {
    await load.stop()
  }
  const { acknowledged, others: refusals } = load.ledger
  const contents = await readContents(databaseUrl)
  assertStored([...acknowledged, ...others], contents)
  assert.equal(contents.distinct, contents.leads.length, 'a lead was stored twice')
  const unexplained = [...refusals].filter(([status]) => !(status === '503' && told === 'unavailable'))
  assert.deepEqual(unexplained, [], 'answers that the outage does not explain')
}

/** The different reports of the replicas. */
async function look(replicas: readonly RunningService[]): Promise<Set<string>> {
  const reports = replicas.map(async ({ url, opsUrl }) => {
    const [ready, root] = await Promise.all([fetch(`${opsUrl}/readyz`), fetch(`${url}/api/v1`)])
    // What is wrong is named.
    assert.match(await ready.text(), ready.ok ? /^ok(, but (database|limiter|clock): .+)?$/m : /^not ready: ./)
    return ready.ok ? ((await root.json()) as { status: Status }).status : 'not ready'
  })
  return new Set(await Promise.all(reports))
}

/** Waits until every replica reports this. */
async function becomes(replicas: readonly RunningService[], wanted: Status): Promise<void> {
  await until(`every replica is ${wanted}`, async () => [...(await look(replicas))].join() === wanted)
}

/** Waits until the load's leads are accepted. */
async function proceeds({ ledger }: Load): Promise<void> {
  const wanted = ledger.acknowledged.length + 50
  await until('leads are taken', () => ledger.acknowledged.length >= wanted)
}

/** What callers get from each replica during the failure. Returns the ids of the accepted leads. */
async function assertAnswers(replicas: readonly RunningService[], status: Status): Promise<string[]> {
  const ids = await Promise.all(
    replicas.map(async ({ url, opsUrl }) => {
      assert.equal((await fetch(`${opsUrl}/livez`)).status, 200)
      assert.equal((await fetch(`${url}/api-docs`)).status, 200, 'documents stay')
      const answer = await post(url, newLead(), { client: freshClient() })
      if (status === 'degraded') return String(answer.json.id)
      assertProblem(answer, 503, 'service_unavailable')
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      return []
    }),
  )
  return ids.flat()
}
