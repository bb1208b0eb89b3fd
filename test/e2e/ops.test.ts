import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cpSync, symlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { ErasureReason } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { startTcpProxy } from '../drills/tcp-proxy.ts'
import { backends, postgresBackend } from '../store/backends.ts'
import { postgresUrl, readContents, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { assertProblem, get, metricOf, openRaw, post, readinessOf, statusesOf, untilReady } from '../support/http.ts'
import { newLead } from '../support/load.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { execute, inboxClient, intakeClient, root, runService, startService } from '../support/service.ts'
import { quote, unique } from '../support/submissions.ts'
import { until, within } from '../support/until.ts'

suite('the ops listener', () => {
  test('serves probes and metrics, and nothing else', async () => {
    await using service = await startService({ TRUSTED_PROXIES: '192.0.2.0/24' })
    await post(service.url, unique())
    await post(service.url, '{')
    const client = inboxClient(service.internalUrl)
    await client.listLeads({})
    const streaming = new AbortController()
    const stream = client.watchLeads({ consumer: 'crm', startNow: true }, { signal: streaming.signal })
    await stream[Symbol.asyncIterator]().next()
    for (const [path, method, status] of [
      ['/livez', 'GET', 200],
      ['/readyz', 'GET', 200],
      ['/livez', 'HEAD', 200],
      ['/livez', 'POST', 405],
      ['/api/v1', 'GET', 404],
    ] as const)
      assert.equal((await get(service.opsUrl + path, {}, method)).status, status, path)
    const { text, headers } = await get(`${service.opsUrl}/metrics`)
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    for (const line of [
      'lead_intake_http_requests_total{route="/api/v1/leads",status="201",code=""} 1',
      'lead_intake_http_requests_total{route="/api/v1/leads",status="400",code="malformed_json"} 1',
      'lead_intake_leads_total{path="rest-v1",outcome="created"} 1',
      'lead_intake_limiter_decisions_total{mode="local",result="allowed"} 2',
      'lead_intake_limiter_fallback 0',
      'lead_intake_http_request_duration_seconds_count{route="/api/v1/leads"} 1',
      'lead_intake_rpc_calls_total{service="leadintake.v1.LeadInboxService",method="ListLeads",code="ok"} 1',
      'lead_intake_store_batch_seconds_count 1',
      'lead_intake_consumer_streams{consumer="crm"} 1',
      'lead_intake_consumer_lag_seconds{consumer="crm"} 0',
      'lead_intake_untrusted_forwarded_total 2',
      // Series that have not been counted yet must exist at 0, because Prometheus sees no increase otherwise.
      'lead_intake_http_requests_total{route="/api/v1/leads",status="503",code="overloaded"} 0',
      'lead_intake_http_requests_total{route="/api/leads",status="410",code="version_removed"} 0',
      'lead_intake_leads_total{path="rpc",outcome="duplicate"} 0',
      'lead_intake_log_lines_dropped_total 0',
      'lead_intake_store_up 1',
      'lead_intake_ready 1',
    ])
      assert(text.includes(line), line)
    streaming.abort()
    assert(!text.includes('certificate_expiry'), 'without a certificate, an alert would fire forever')
    assert.match(text, /lead_intake_build_info\{version="[^"]+",node="v26/)

    // Node refuses what is pipelined behind the first request, so answers that nobody reads stay few.
    const pipelined = 'GET /metrics HTTP/1.1\r\nHost: ops\r\n\r\n'.repeat(3)
    assert.equal((await statusesOf(service.opsUrl, pipelined)).filter((status) => status === 200).length, 1)
    assert.deepEqual(await statusesOf(service.opsUrl, 'GARBAGE HTTP/1.1\r\n\r\n'), [400])
  })

  test('makes room for a probe: of many silent connections, it closes the oldest', async () => {
    await using service = await startService()
    const silent: Socket[] = []
    for (let count = 0; count < 300; count++) silent.push(await openRaw(service.opsUrl))
    assert.equal((await get(`${service.opsUrl}/livez`)).status, 200)
    // Sooner than the ten seconds that each may last.
    const gone = () => silent.filter(({ destroyed }) => destroyed).length >= 300 - 255
    await until('the others are closed', gone, { withinMs: 5_000 })
    assert.deepEqual([silent[0]?.destroyed, silent.at(-1)?.destroyed], [true, false])
    for (const socket of silent) socket.destroy()
  })

  test("writes one JSON log line per request, with the id that the caller got and the caller's trace id", async () => {
    await using service = await startService()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { 'X-Request-Id': 'shop-17', Traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const answer = await post(service.url, unique(), { headers })
    const other = { 'X-Request-Id': 'pat@example.com', Traceparent: 'pat@example.com' }
    await post(service.url, unique(), { headers: other })
    const [line = '', ...others] = service.log().match(RegExp(`.*${answer.headers.get('x-request-id')}.*`, 'g')) ?? []
    const logged = { method: 'POST', route: '/api/v1/leads', status: 201, traceId }
    assert.partialDeepStrictEqual(JSON.parse(line), logged)
    assert.deepEqual(others, [])
    assert.doesNotMatch(service.log(), /pat@|shop-17/)
  })
})

test('every listener that others reach answers over IPv6 and IPv4, and records IPv4 addresses as such', async () => {
  const everywhere = { HOST: '', OPS_HOST: '', INTERNAL_HOST: '::', INTERNAL_INSECURE: 'true' }
  await using service = await startService(everywhere)
  for (const host of ['[::1]', '127.0.0.1']) {
    const at = (url: string) => url.replace('127.0.0.1', host)
    assert.equal((await get(`${at(service.opsUrl)}/readyz`)).text, 'ok\n')
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(unique())
    const sent = await fetch(`${at(service.url)}/api/v1/leads`, { method: 'POST', headers, body })
    const { id } = (await sent.json()) as { id: string }
    const path = '/leadintake.v1.LeadInboxService/GetLead'
    const { json } = await post(at(service.internalUrl), { id }, { path })
    assert.partialDeepStrictEqual(json, { lead: { consent: { clientAddress: host.replaceAll(/[[\]]/g, '') } } })
  }
})

test('SIGTERM makes a replica unready, while it serves on, and ends it in 25 s and a margin, whatever hangs', {
  skip: skipWithout('faketime'),
}, async () => {
  // Its time passes five times as fast. The program `faketime` would be its parent, and get the signal.
  const fast = { LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1', FAKETIME: '+0 x5' }
  await using service = await runService({ DRAIN_SECONDS: '20', ...fast })
  const acknowledged: string[] = []
  const submit = async () => {
    const { status, json } = await post(service.url, newLead())
    return status === 201 && acknowledged.push(String(json.id))
  }
  await until('a lead is taken', submit)
  await inboxClient(service.internalUrl).watchLeads({})[Symbol.asyncIterator]().next()
  const socket = await openRaw(service.url)
  socket.write('POST /api/v1/leads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{')
  service.child.kill('SIGTERM')
  await until('unready', async () => (await fetch(`${service.opsUrl}/readyz`)).status === 503)
  assert.equal((await fetch(`${service.opsUrl}/livez`)).status, 200)
  assert(await submit())
  {
    using database = new DatabaseSync(service.databaseUrl.slice('sqlite:'.length))
    database.exec(`
      CREATE VIEW forever AS WITH RECURSIVE turns(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turns) SELECT n FROM turns;
      CREATE TRIGGER hang BEFORE INSERT ON leads BEGIN SELECT max(n) FROM forever; END`)
  }
  assert.equal(await submit(), false)
  assert.equal(await within(20_000, 'it has stopped', service.exited), 0, service.output())
  const timeOf = (event: string) => Date.parse(service.output().match(`"time":"([^"]+)".*"msg":"${event}"`)?.[1] ?? '')
  const seconds = (timeOf('stopped') - timeOf('stopping')) / 1_000
  // The margin is a second of this machine. Kubernetes kills the replica after 30 (`terminationGracePeriodSeconds`).
  assert(seconds < 25 + 5, service.output())
  assert.match(service.output(), /"level":"info"[^\n]*"troubles":\["stopping"\],"msg":"replica not ready"/)
  assert.deepEqual((await readContents(service.databaseUrl)).leads, acknowledged)
})

test('leads are erased after LEAD_RETENTION_DAYS, with a warning below five years', async () => {
  let nowMs = Date.now() - 31 * 86_400_000
  const now = () => nowMs
  await using service = await startService({}, { now })
  const submit = async () => String((await post(service.url, { ...unique(), consentTimestamp: undefined })).json.id)
  const old = await submit()
  nowMs = Date.now()
  const young = await submit()
  const database = { DATABASE_URL: service.databaseUrl }
  await using keeper = await startService({ ...database, LEAD_RETENTION_DAYS: '30' }, { now })
  assert.match(keeper.log(), /LEAD_RETENTION_DAYS: consent may have to be shown for five years/)
  assert(!service.log().includes('LEAD_RETENTION_DAYS'))
  const client = inboxClient(keeper.internalUrl)
  const lead = async (id: string) => (await client.getLead({ id })).lead
  await until('the old lead is erased', async () => (await lead(old))?.erased)
  assert.equal((await lead(old))?.erasedReason, ErasureReason.RETENTION)
  assert.equal((await lead(young))?.erased, false)
})

test('a build has the time of SOURCE_DATE_EPOCH, whatever time its files have', async () => {
  const cwd = newFolder()
  for (const name of ['package.json', 'scripts', 'src']) cpSync(join(root, name), join(cwd, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
  const fourYearsAgo = Math.floor(Date.now() / 1_000) - 4 * 365 * 86_400
  const env = { ...process.env, SOURCE_DATE_EPOCH: `${fourYearsAgo}` }
  await execute(process.execPath, ['scripts/build.ts'], { cwd, env })
  await using service = await runService({}, [process.execPath, 'dist/main.js'], { cwd })
  assert.match(await readinessOf(service), /^ok, but clock: .* far after the newest lead and the build/)
})

suite('a replica', { skip: skipWithoutEngine }, () => {
  test('that alone cannot reach the database sends its callers to the others, also behind a balancer of connections', async () => {
    const direct = new URL(await postgresUrl())
    await using way = await startTcpProxy(() => Number(direct.port))
    const throughWay = (url: string) => Object.assign(new URL(url), { port: way.port }).href
    const env = { REDIS_URL: await redisUrl(), REPLICAS: '2' }
    await using healthy = await startService({ ...env, DATABASE_URL: direct.href })
    await using odd = await startService({ ...env, DATABASE_URL: throughWay(direct.href) })
    // Another installation on the same Redis, whose only replica loses its own database.
    await using stranger = await startService({ ...env, DATABASE_URL: throughWay(await postgresUrl()) })
    for (const service of [healthy, odd, stranger]) await untilReady(service)
    way.cut()
    // The first failure does not make a replica unready.
    await untilReady(odd, 'ok, but database: ')
    await untilReady(odd, 'not ready: database: ')
    assert.match(await readinessOf(odd), /^not ready: database: .*; other replicas can store$/m)
    const line = /"troubles":\["database: [^"]+","other replicas can store"\],"msg":"replica not ready"/
    await until('the line in the log', () => line.test(odd.log()))
    const attempts = () => metricOf(odd.opsUrl, 'lead_intake_store_batch_seconds_count')
    const before = await attempts()
    const refused = await post(odd.url, unique())
    assertProblem(refused, 503, 'service_unavailable')
    assert.equal(refused.headers.get('connection'), 'close', 'the next attempt reaches another replica')
    assert.equal(refused.headers.get('retry-after'), '15', 'by the one after, it is out of traffic')
    assert.equal(await attempts(), before, 'it has not made the caller wait for its database')
    assert.match(await readinessOf(stranger), /^ok, but database: /)
    await way.lead()
    await untilReady(odd)
  })

  test('with a locked table of leads is not reported as healthy, whether or not leads wait', async () => {
    const url = await postgresUrl()
    await using service = await startService({ DATABASE_URL: url })
    await untilReady(service)
    const database = await postgresBackend.openDatabase(url)
    try {
      await database.exec('BEGIN; LOCK TABLE leads')
      const refused = post(service.url, unique())
      await untilReady(service, 'ok, but database: ')
      assert.equal((await get(`${service.url}/api/v1`)).json.status, 'unavailable')
      assertProblem(await refused, 503, 'service_unavailable')
      // No lead is waiting, so the probe is used once the last result is older than a second.
      await until('the probe fails', async () => (await readinessOf(service)).includes('no answer within'))
      await database.exec('ROLLBACK')
      await untilReady(service)
      assert.equal(service.log().split('leads cannot be stored').length, 2, 'the log says so once a minute')
    } finally {
      await database.close()
    }
  })
})

for (const { name, newUrl, openDatabase, skip } of backends) {
  test(`with ${name}, a lead that is stored after its request or call has ended is logged and counted`, {
    skip,
  }, async () => {
    await using service = await startService({ DATABASE_URL: await newUrl() }, { storeDeadlineMs: 300 })
    const database = await openDatabase(service.databaseUrl)
    const intake = intakeClient(service.internalUrl)
    const read = async () =>
      (await database.all('SELECT id, evidence FROM leads')).map(({ id, evidence }) => {
        const { path, requestId } = JSON.parse(String(evidence))
        return { path, requestId, leadId: String(id), evidenceSha256: hash('sha256', String(evidence)) }
      })
    // An attempt that the rollback lets through takes both. On a slow machine, it may be a later one.
    const stored = await until('one of each is stored', async () => {
      await database.exec(name === 'SQLite' ? 'BEGIN IMMEDIATE' : 'BEGIN; LOCK TABLE leads')
      const value = { ...quote, notes: `A call ${Math.random()}` }
      assert.equal((await post(service.url, unique())).status, 503)
      const call = intake.submitLead({ lead: { case: 'quoteRequest', value } }, { timeoutMs: 50 })
      await assert.rejects(call, /deadline_exceeded/)
      await database.exec('ROLLBACK')
      const leads = await read()
      return new Set(leads.map(({ path }) => path)).size === 2 && leads
    })
    for (const { path, ...facts } of stored || []) {
      const line = await until('its line', () => service.log().match(`.*${facts.leadId}.*`)?.[0])
      assert.partialDeepStrictEqual(JSON.parse(String(line)), facts)
      const counted = () => metricOf(service.opsUrl, `lead_intake_leads_total{path="${path}",outcome="created"}`)
      const isCounted = async () => (await counted()) === (await read()).filter((other) => other.path === path).length
      await until('all are counted', isCounted)
    }
    await database.close()
  })
}
