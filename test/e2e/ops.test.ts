import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import pg from 'pg'
import { ErasureReason } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { startPostgresServer } from '../drills/postgres-server.ts'
import { startTcpProxy } from '../drills/proxy.ts'
import { startRedisServer } from '../limit/redis-server.ts'
import { postgresUrl, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { assertProblem, freshClient, get, openRaw, post, rateOf } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

/** Sends bytes, and returns the status of each answer until the service closes the connection. */
async function rawAll(url: string, request: string): Promise<number[]> {
  const socket = await openRaw(url)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const closed = once(socket, 'close')
  socket.end(request)
  await closed
  return Array.from(text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm), ([, status]) => Number(status))
}

let counter = 0
const unique = () => ({ ...quote, notes: `Ops ${++counter}` })

const readiness = async ({ opsUrl }: Service) => (await get(`${opsUrl}/readyz`)).text
/** Waits until the text of /readyz begins like this. */
const untilReady = (service: Service, beginning = 'ok\n') =>
  until(beginning, async () => (await readiness(service)).startsWith(beginning))

suite('the ops listener', () => {
  test('serves probes and metrics, and nothing else', async () => {
    await using service = await startService({ TRUSTED_PROXIES: '192.0.2.0/24' })
    await post(service.url, unique())
    await post(service.url, '{')
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
      'lead_intake_store_batches_total{outcome="committed"} 1',
      'lead_intake_untrusted_forwarded_total 2',
      // Series that have not been counted yet must exist at 0, because Prometheus sees no increase otherwise.
      'lead_intake_http_requests_total{route="/api/v1/leads",status="503",code="overloaded"} 0',
      'lead_intake_http_requests_total{route="/api/leads",status="410",code="version_removed"} 0',
      'lead_intake_leads_total{path="rpc",outcome="duplicate"} 0',
      'lead_intake_store_up 1',
      'lead_intake_ready 1',
    ]) {
      assert(text.includes(line), line)
    }
    assert.match(text, /lead_intake_build_info\{version="[^"]+",node="v26/)

    // Node refuses what is pipelined behind the first request, so answers that nobody reads stay few.
    const pipelined = 'GET /metrics HTTP/1.1\r\nHost: ops\r\n\r\n'.repeat(3)
    assert.equal((await rawAll(service.opsUrl, pipelined)).filter((status) => status === 200).length, 1)
    assert.deepEqual(await rawAll(service.opsUrl, 'GARBAGE HTTP/1.1\r\n\r\n'), [400])
  })

  test("writes one JSON log line per request, with the id that the caller got and the caller's own ids", async () => {
    await using service = await startService()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { 'X-Request-Id': 'shop-17', Traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const answer = await post(service.url, unique(), { headers })
    const other = { 'X-Request-Id': 'pat@example.com', Traceparent: 'pat@example.com' }
    await post(service.url, unique(), { headers: other })
    const lines = service
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const own = lines.filter(({ requestId }) => requestId === answer.headers.get('x-request-id'))
    assert.equal(own.length, 1)
    assert.deepEqual([own[0].method, own[0].route, own[0].status], ['POST', '/api/v1/leads', 201])
    assert.deepEqual([own[0].callerRequestId, own[0].traceId], ['shop-17', traceId])
    assert(!service.log().includes('pat@'))
  })
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

suite('replicas with one Redis', { skip: skipWithoutEngine }, () => {
  test('fall back to their share while Redis hangs or is down, report it, and recover by themselves', async () => {
    await using redis = await startRedisServer()
    await using service = await startService({ REDIS_URL: redis.url, REPLICAS: '3' })
    const status = async () => (await get(`${service.url}/api/v1`)).json.status
    assert.equal(rateOf(await post(service.url, unique())).remaining, 9)
    await redis.pause()
    const client = freshClient()
    const answers = []
    for (let count = 0; count < 4; count++) answers.push(await post(service.url, unique(), { client }))
    assert.deepEqual(
      answers.map((answer) => [answer.status, rateOf(answer).limit, rateOf(answer).remaining]),
      [
        [201, 3, 2],
        [201, 3, 1],
        [201, 3, 0],
        [429, 3, 0],
      ],
    )
    assert.equal(await status(), 'degraded')
    assert.equal((await get(`${service.opsUrl}/readyz`)).status, 200)
    assert((await get(`${service.opsUrl}/metrics`)).text.includes('lead_intake_limiter_fallback 1'))
    await redis.unpause()
    await until('operational', async () => (await status()) === 'operational')
    assert.equal(rateOf(await post(service.url, unique())).limit, 10)
    await redis.kill()
    await until('its share again', async () => rateOf(await post(service.url, unique())).limit === 3)
    // Whatever the first failure was, the body comes to name what lasts, and the log has each reason once.
    const lasting = 'limiter: no connection to Redis: connect ECONNREFUSED'
    await until(lasting, async () => (await readiness(service)).includes(lasting))
    const lines = service.log().split('\n')
    const lastOutage = lines.slice(lines.findLastIndex((line) => line.includes('"limiter on fallback"')))
    const reasons = lastOutage.flatMap((line) => /"reason":"(.*?)","/.exec(line)?.[1] ?? [])
    assert(reasons.some((reason) => reason.includes('ECONNREFUSED')))
    assert.equal(new Set(reasons).size, reasons.length)
  })
})

suite('a replica that is the only one unable to store', { skip: skipWithoutEngine }, () => {
  test('becomes unready while the others store, gives the reason, and recovers', async () => {
    const databaseUrl = new URL(await postgresUrl())
    await using way = await startTcpProxy(Number(databaseUrl.port))
    const env = { REDIS_URL: await redisUrl(), REPLICAS: '2' }
    await using healthy = await startService({ ...env, DATABASE_URL: databaseUrl.href })
    databaseUrl.port = `${way.port}`
    await using odd = await startService({ ...env, DATABASE_URL: databaseUrl.href })
    await untilReady(healthy)
    await untilReady(odd)
    way.cut()
    // The first failure does not make a replica unready.
    await untilReady(odd, 'ok, but database: ')
    await untilReady(odd, 'not ready: database: ')
    assert.match(await readiness(odd), /^not ready: database: .*; other replicas can store$/m)
    assert.equal((await get(`${healthy.opsUrl}/readyz`)).status, 200)
    const line = /"troubles":\["database: [^"]+","other replicas can store"\],"msg":"replica not ready"/
    await until('the line in the log', () => line.test(odd.log()))
    await way.lead()
    await untilReady(odd)
  })
})

suite('PostgreSQL with a locked table of leads', { skip: skipWithoutEngine }, () => {
  test('is never reported as healthy, with or without waiting leads', async () => {
    const url = await postgresUrl()
    await using service = await startService({ DATABASE_URL: url })
    assert.equal((await post(service.url, unique())).status, 201)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('BEGIN; LOCK TABLE leads')
      const refused = post(service.url, unique())
      await untilReady(service, 'ok, but database: ')
      assert.equal((await get(`${service.url}/api/v1`)).json.status, 'unavailable')
      assertProblem(await refused, 503, 'service_unavailable')
      // No lead is waiting, so the probe is used once the last result is older than a second.
      await until('the probe fails', async () => (await readiness(service)).includes('no answer within'))
      await client.query('ROLLBACK')
      await untilReady(service)
    } finally {
      await client.end()
    }
  })
})

suite('a PostgreSQL that hangs', { skip: skipWithoutEngine }, () => {
  test('makes nothing hang: documents stay, callers get 503 in time, probes and status say why, no lead is lost', async () => {
    await using postgres = await startPostgresServer()
    await postgres.pause()
    await using service = await startService({ DATABASE_URL: postgres.url })
    const status = async () => (await get(`${service.url}/api/v1`)).json.status
    // At the start: unready until the first lead could be stored.
    const ready = await get(`${service.opsUrl}/readyz`)
    assert.equal(ready.status, 503)
    assert.match(ready.text, /^not ready: database: /)
    assert.equal((await get(`${service.url}/api-docs`)).status, 200)
    assert.equal(await status(), 'unavailable')
    await postgres.unpause()
    await untilReady(service)
    assert.equal((await post(service.url, unique())).status, 201)

    // Later: ready, because every replica has the same trouble.
    await postgres.pause()
    const body = unique()
    const refused = await post(service.url, body)
    assertProblem(refused, 503, 'service_unavailable')
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(refused.json.retryable, true)
    assert.match(await readiness(service), /^ok, but database: /)
    assert.equal((await get(`${service.opsUrl}/livez`)).status, 200)
    assert.equal(await status(), 'unavailable')
    assert.match((await get(`${service.opsUrl}/metrics`)).text, /^lead_intake_store_up 0$/m)
    await postgres.unpause()
    await untilReady(service)
    assert.match((await get(`${service.opsUrl}/metrics`)).text, /^lead_intake_store_up 1$/m)
    const again = await post(service.url, body)
    assert([200, 201].includes(again.status), again.text)
    const { leads, consents } = await readContents(postgres.url)
    assert.equal(leads.length, 2)
    assert.deepEqual(new Set(consents), new Set(leads))
  })
})
