// What a business must survive, under steady load.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { OptOutHow } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { assertStored, postgresUrl, readContents, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { assertProblem, get, metricOf, post } from '../support/http.ts'
import { newLead, startLoad } from '../support/load.ts'
import { skipWithout } from '../support/machine.ts'
import {
  inboxClient,
  type RunningService,
  runCommand,
  runService,
  serviceCommand,
  startService,
  untilPrinted,
} from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Starts three replicas as processes that share these backends, or else databases of the run's own servers. */
async function startFleet(stack: AsyncDisposableStack, settings: Record<string, string> = {}) {
  const { DATABASE_URL = await postgresUrl(), REDIS_URL = await redisUrl() } = settings
  const env = { REPLICAS: '3', LOG_LEVEL: 'warn', ...settings, DATABASE_URL, REDIS_URL }
  const start = async () => stack.use(await runService(env))
  const replicas = [await start(), await start(), await start()]
  return { replicas, databaseUrl: DATABASE_URL }
}

/**
 * Puts a fleet under steady load, and verifies what every drill promises: each acknowledged lead is stored once, and
 * everything recovers without a restart. What begins takes the database away: replicas report it, and callers get a
 * clear answer.
 */
async function drill({ replicas, databaseUrl }: Fleet, begin: () => unknown, end: () => unknown) {
  const urls = replicas.map(({ url }) => url)
  const load = startLoad(urls, { connections: 24, perSecond: 120 })
  try {
    await becomes(replicas, 'operational')
    await load.proceeds(50)
    await begin()
    await becomes(replicas, 'unavailable')
    await Promise.all(replicas.map(assertUnavailable))
    assert.deepEqual(await look(replicas), new Set(['unavailable']), 'it lasts')
    await end()
    await becomes(replicas, 'operational')
    await load.proceeds(50)
  } finally {
    await load.stop()
  }
  const { acknowledged, others } = load.ledger
  const contents = await readContents(databaseUrl)
  assertStored(acknowledged, contents)
  assert.equal(contents.distinct, contents.leads.length, 'a lead was stored twice')
  others.delete('503')
  assert.deepEqual([...others], [], 'answers that the outage does not explain')
}

/** The different reports of the replicas. None is unready when the database is down for all of them. */
async function look(replicas: readonly RunningService[]): Promise<Set<unknown>> {
  const reports = replicas.map(async ({ url, opsUrl }) => {
    const [ready, root] = await Promise.all([get(`${opsUrl}/readyz`), get(`${url}/api/v1`)])
    // What is wrong is named.
    assert.match(ready.text, ready.status === 200 ? /^ok(, but (database|limiter|clock): .+)?$/m : /^not ready: ./)
    return ready.status === 200 ? root.json.status : 'not ready'
  })
  return new Set(await Promise.all(reports))
}

/** Waits until every replica reports this. */
async function becomes(replicas: readonly RunningService[], wanted: string): Promise<void> {
  await until(`every replica is ${wanted}`, async () => [...(await look(replicas))].join() === wanted)
}

/** The person who opts out. */
const halt = 'c@example.com'
/** The series of the alert. */
const lostCursors =
  'lead_intake_rpc_calls_total{service="leadintake.v1.LeadInboxService",method="WatchLeads",code="out_of_range"}'

/** What callers get from a replica without its database. */
async function assertUnavailable({ url, opsUrl }: RunningService): Promise<void> {
  assert.equal((await get(`${opsUrl}/livez`)).status, 200)
  assert.equal((await get(`${url}/api-docs`)).status, 200, 'documents stay')
  const answer = await post(url, newLead())
  assertProblem(answer, 503, 'service_unavailable')
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  test('PostgreSQL stalls: callers are told to come back, and nothing acknowledged is lost', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgresServer())
    const fleet = await startFleet(stack, { DATABASE_URL: server.url })
    await drill(fleet, server.pause, server.unpause)
  })

  test('PostgreSQL fails over to a standby: nothing is lost, and callers come back once it is promoted', async () => {
    await using stack = new AsyncDisposableStack()
    const pair = stack.use(await startPostgresPair())
    let { port } = pair
    const way = stack.use(await startTcpProxy(() => port))
    const fleet = await startFleet(stack, { DATABASE_URL: pair.urlAt(way.port) })
    const failOver = async () => {
      await pair.killPrimary()
      way.cut()
      port = pair.standbyPort
      await way.lead()
    }
    await drill(fleet, failOver, pair.promote)
  })

  test('erasures and opt-outs that a lagging standby loses when promoted are noticed and repeated', async () => {
    await using stack = new AsyncDisposableStack()
    const pair = stack.use(await startPostgresPair({ synchronous: false }))
    let { port } = pair
    const way = stack.use(await startTcpProxy(() => port))
    const env = { DATABASE_URL: pair.urlAt(way.port) }
    const service = stack.use(await runService(env))
    const inbox = inboxClient(service.internalUrl)
    const submit = async (email: string) =>
      String((await post(service.url, { ...quote, consentTimestamp: undefined, email })).json.id)
    /** Each lead as a consumer last saw it. */
    const copies = new Map<string, Lead>()
    async function follow(cursor = ''): Promise<string> {
      for await (const message of inbox.watchLeads({ consumer: 'crm', cursor })) {
        if (message.caughtUp) return message.cursor
        if (message.lead) copies.set(message.lead.id, message.lead)
      }
      return ''
    }
    const [early, erased, halted] = [await submit('a@example.com'), await submit('b@example.com'), await submit(halt)]
    await inbox.eraseLead({ id: early })
    await pair.disconnect()
    await inbox.eraseLead({ id: erased })
    await inbox.recordOptOut({ contact: halt, how: OptOutHow.CALLED })
    const late = await submit('d@example.com')
    const cursor = await follow()
    await pair.killPrimary()
    way.cut()
    port = pair.standbyPort
    await pair.promote()
    await way.lead()
    await until('leads are taken', async () => (await post(service.url, newLead())).status === 201)

    await assert.rejects(follow(cursor), { code: Code.OutOfRange })
    assert.equal(await metricOf(service.opsUrl, lostCursors), 1, 'LeadIntakeEntriesLost fires')
    const before = new Map(copies)
    copies.clear()
    await follow()
    const states = () =>
      [early, erased, halted].map((id) => `${copies.get(id)?.erased} ${Boolean(copies.get(id)?.optedOutAt)}`)
    assert.deepEqual(states(), ['true false', 'false false', 'false false'])
    const missing = [...before.keys()].filter((id) => !copies.has(id))
    assert.deepEqual(missing, [late], 'expected: it cannot be given back')

    const log = join(service.folder, 'service.log')
    writeFileSync(log, service.output())
    const { code, stdout } = await runCommand('reapply', [log], env)
    assert.equal(code, 0, stdout)
    await follow()
    assert.deepEqual(states(), ['true false', 'true false', 'false true'])
    const { optOuts } = await inbox.findOptOuts({ contact: halt })
    assert.equal(optOuts.length, 1)
  })
})

suite('a wrong clock', { skip: skipWithout('faketime') || skipWithoutEngine }, () => {
  for (const [database, newUrl] of Object.entries({ SQLite: () => undefined, PostgreSQL: postgresUrl })) {
    test(`erases no lead and no claim on ${database}, also after its own leads and a restart`, async () => {
      const url = await newUrl()
      await using right = await startService(url ? { DATABASE_URL: url } : {})
      const body = newLead()
      assert.equal((await post(right.url, body)).status, 201)
      for (const ahead of ['+6y', '+2050d', '+6y']) {
        const env = { DATABASE_URL: right.databaseUrl, LEAD_RETENTION_DAYS: '1827' }
        await using wrong = await runService(env, ['faketime', '-f', ahead, ...serviceCommand])
        await untilPrinted(wrong, 'a clock is wrong')
        assert.match((await get(`${wrong.opsUrl}/readyz`)).text, /^ok, but clock: .*nothing is erased by age/)
        assert.equal((await post(wrong.url, newLead())).status, 201, 'a wrong clock turns nobody away')
      }
      const { leads, distinct } = await readContents(right.databaseUrl)
      assert.deepEqual([leads.length, distinct], [4, 4])
      assert.equal((await post(right.url, body)).status, 200)
    })
  }

  for (const [hours, said] of Object.entries({ '-1': 'ahead', '1': 'behind' }))
    test(`that is wrong by ${hours} h is named, once in the log`, async () => {
      const env = { DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() }
      await using service = await startService(env, { now: () => Date.now() + Number(hours) * 3_600_000 })
      const differ = `compared with this replica, the database is ${said} by 3600 s, Redis ${said} by 3600 s`
      const { status, text } = await get(`${service.opsUrl}/readyz`)
      assert.deepEqual([status, text.includes(`ok, but clock: ${differ};`)], [200, true], text)
      await until('the first claims were looked for', () => service.log().includes('a clock is wrong'))
      assert.equal(service.log().split('a clock is wrong').length, 2)
    })
})
