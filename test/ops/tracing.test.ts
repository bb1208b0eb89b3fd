import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresUrl, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { get, post, rateOf } from '../support/http.ts'
import { type RunningService, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { type Collector, type ReceivedSpan, startCollector } from './collector.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${callerSpan}-01`

/** Values that only occur in a customer's request. */
const canary = 'Canary'
const canaryQuote = {
  ...quote,
  name: `${canary} Name`,
  email: `${canary}@example.com`,
  service: `${canary} service`,
  notes: `${canary} notes`,
  pageUrl: `https://www.example.com/${canary}`,
}

/** Runs a service that exports traces to a collector, uses it, and waits until everything was exported. */
async function traced(
  collector: Collector,
  work: (service: RunningService) => Promise<void>,
  env: Record<string, string> = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
): Promise<{ spans: ReceivedSpan[]; log: Record<string, unknown>[] }> {
  const service = await runService({ OTEL_TRACES_SAMPLER: 'parentbased_always_on', ...env })
  try {
    await work(service)
    service.signal('SIGTERM')
    assert.equal(await service.exited, 0, service.output())
    const lines = service.output().trim().split('\n')
    return { spans: collector.spans, log: lines.map((line) => JSON.parse(line)) }
  } finally {
    await service.dispose()
  }
}

function one(spans: ReceivedSpan[], name: string, parent?: ReceivedSpan): ReceivedSpan {
  const found = spans.filter((span) => span.name === name && (!parent || span.parentSpanId === parent.spanId))
  assert.equal(found.length, 1, `${found.length} spans "${name}" of ${spans.map((span) => span.name)}`)
  const [span] = found as [ReceivedSpan]
  if (parent) assert.equal(span.traceId, parent.traceId)
  return span
}

/** Calls a unary method with Connect and JSON. */
function call(service: RunningService, method: string, body: object, headers: Record<string, string> = {}) {
  return fetch(`${service.internalUrl}/leadintake.v1.${method}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

suite('traces', () => {
  test("show a submission: the request as a child of the caller's span, limiter, store and commit, without customer data", async () => {
    await using collector = await startCollector()
    let requestId: string | null = null
    const { spans, log } = await traced(collector, async (service) => {
      const answer = await post(service.url, canaryQuote, {
        path: `/api/v1/leads?from=${canary}`,
        client: '192.0.2.77',
        headers: {
          traceparent,
          tracestate: `vendor=${canary}`,
          'User-Agent': canary,
          'Idempotency-Key': canary,
          Referer: `https://www.example.com/${canary}`,
        },
      })
      assert.equal(answer.status, 201, answer.text)
      requestId = answer.headers.get('x-request-id')
      await get(`${service.url}/${canary}?${canary}`)
    })
    const request = one(spans, 'POST /api/v1/leads')
    assert.deepEqual([request.traceId, request.parentSpanId, request.kind], [traceId, callerSpan, 2])
    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/api/v1/leads',
      'url.path': '/api/v1/leads',
      'url.scheme': 'http',
      'server.address': 'localhost',
      'http.response.status_code': 201,
      'lead_intake.request_id': requestId,
    })
    assert.deepEqual(one(spans, 'limit', request).attributes, {
      'lead_intake.limit.by': 'local',
      'lead_intake.limit.allowed': true,
    })
    const store = one(spans, 'store', request)
    assert.deepEqual(store.attributes, { 'lead_intake.outcome': 'created' })
    const commit = one(spans, 'commit', store)
    assert.equal(commit.kind, 3)
    assert.deepEqual(commit.attributes, {
      'db.system.name': 'sqlite',
      'db.namespace': 'leads.db',
      'db.operation.name': 'INSERT',
      'db.operation.batch.size': 1,
    })

    const other = one(spans, 'GET')
    assert.deepEqual([other.parentSpanId, other.attributes['lead_intake.problem']], ['', 'not_found'])
    assert.notEqual(other.traceId, traceId)
    assert.equal(request.resource['service.name'], 'lead-intake')
    for (const span of spans) assert.equal(span.traceState, '')
    for (const text of [...collector.bodies.map((body) => body.toString('latin1')), JSON.stringify(log)]) {
      for (const own of [/canary/i, /2025550123/, /192\.0\.2\.77/]) assert.doesNotMatch(text, own)
    }
    const line = log.find((entry) => entry.requestId === requestId)
    assert.equal(line?.traceId, traceId)
  })

  test("show a call as a child of the caller's span, with the request id of its metadata", async () => {
    await using collector = await startCollector()
    const ids: (string | null)[] = []
    const { spans, log } = await traced(collector, async (service) => {
      const { formType: _, pageUrl: __, ...quoteRequest } = { ...canaryQuote, formType: undefined }
      const taken = await call(service, 'LeadIntakeService/SubmitLead', { quoteRequest }, { traceparent })
      const { id } = (await taken.json()) as { id: string }
      const missing = await call(service, 'LeadInboxService/GetLead', { id: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10' })
      const found = await call(service, 'LeadInboxService/GetLead', { id })
      assert.deepEqual([taken.status, missing.status, found.status], [200, 404, 200])
      ids.push(...[taken, missing, found].map(({ headers }) => headers.get('x-request-id')))
    })
    const [submit, missing, found] = ids.map((id) =>
      spans.find(({ attributes }) => attributes['lead_intake.request_id'] === id),
    )
    assert(submit && missing && found)
    assert.deepEqual([submit.traceId, submit.parentSpanId, submit.kind], [traceId, callerSpan, 2])
    assert.equal(submit.name, 'leadintake.v1.LeadIntakeService/SubmitLead')
    assert.deepEqual(submit.attributes, {
      'rpc.system.name': 'connectrpc',
      'rpc.method': 'leadintake.v1.LeadIntakeService/SubmitLead',
      'rpc.response.status_code': 'ok',
      'lead_intake.request_id': ids[0],
    })
    one(spans, 'commit', one(spans, 'store', submit))
    assert.deepEqual([missing.attributes['rpc.response.status_code'], missing.status], ['not_found', 0])
    assert.equal(one(spans, 'find lead', found).attributes['db.system.name'], 'sqlite')
    assert.equal(log.find((entry) => entry.requestId === ids[0])?.traceId, traceId)
    for (const body of collector.bodies) assert(!body.toString('latin1').includes(canary))
  })

  test('show a stream as a single span, because its reads are shared', async () => {
    await using collector = await startCollector()
    const { spans } = await traced(collector, async (service) => {
      assert.equal((await post(service.url, quote)).status, 201)
      const stream = await fetch(`${service.internalUrl}/leadintake.v1.LeadInboxService/WatchLeads`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/connect+json' },
        body: Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), Buffer.from('{}')]),
      })
      const reader = stream.body?.getReader()
      assert((await reader?.read())?.value?.length)
      await reader?.cancel()
    })
    const watch = one(spans, 'leadintake.v1.LeadInboxService/WatchLeads')
    assert.equal(watch.attributes['rpc.response.status_code'], 'canceled')
    assert(!spans.some(({ name }) => name === 'read leads'))
  })

  test('link the leads in a batch', async () => {
    await using collector = await startCollector()
    const { spans } = await traced(collector, async (service) => {
      const leads = Array.from({ length: 20 }, (_, index) => ({ ...quote, notes: `Shared ${index}` }))
      await Promise.all(leads.map((lead) => post(service.url, lead)))
    })
    const stores = spans.filter(({ name }) => name === 'store')
    const commits = spans.filter(({ name }) => name === 'commit')
    assert.equal(stores.length, 20)
    assert(commits.length < 20, 'some leads were batched')
    for (const commit of commits) {
      const others = stores.filter(({ spanId }) => commit.links.some((link) => link.spanId === spanId))
      assert.equal(others.length, Number(commit.attributes['db.operation.batch.size']) - 1)
      for (const other of others) {
        assert.deepEqual(other.links, [{ traceId: commit.traceId, spanId: commit.spanId }])
        assert.notEqual(other.traceId, commit.traceId)
      }
    }
    const seen = new Set(commits.flatMap(({ parentSpanId, links }) => [parentSpanId, ...links.map((l) => l.spanId)]))
    assert.deepEqual(seen, new Set(stores.map(({ spanId }) => spanId)))
  })

  test('identify Redis and PostgreSQL', { skip: skipWithoutEngine }, async () => {
    await using collector = await startCollector()
    let requestId: string | null = null
    const { spans } = await traced(
      collector,
      async (service) => {
        // A busy machine may miss Redis's deadline. The recorded decision tells which counter was used.
        for (let count = 0; requestId === null; count++) {
          assert(count < 50, 'Redis never counted')
          const notes = `${canary} ${count}`
          const answer = await post(service.url, { ...canaryQuote, notes }, { client: `192.0.2.${count}` })
          assert.equal(answer.status, 201, answer.text)
          if (rateOf(answer).limit === 10) requestId = answer.headers.get('x-request-id')
          else await sleep(200)
        }
      },
      {
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_SERVICE_NAME: 'intake-of-a-test',
        REPLICAS: '2',
        REDIS_URL: await redisUrl(),
        DATABASE_URL: await postgresUrl(),
      },
    )
    const request = spans.find(({ attributes }) => attributes['lead_intake.request_id'] === requestId)
    assert(request)
    assert.equal(request.resource['service.name'], 'intake-of-a-test')
    const limit = one(spans, 'limit', request)
    assert.equal(limit.attributes['lead_intake.limit.by'], 'shared')
    const redis = one(spans, 'EVALSHA', limit)
    assert.equal(redis.kind, 3)
    assert.deepEqual(
      ['db.system.name', 'server.address', 'db.operation.name'].map((name) => redis.attributes[name]),
      ['redis', '127.0.0.1', 'EVALSHA'],
    )
    const { attributes } = one(spans, 'commit', one(spans, 'store', request))
    assert.deepEqual([attributes['db.system.name'], attributes['server.address']], ['postgresql', '127.0.0.1'])
    assert.match(String(attributes['db.namespace']), /^lead_tests_/)
    for (const body of collector.bodies) assert(!/Canary|192\.0\.2\./.test(body.toString('latin1')))
  })

  test("follow the sampler and the caller's decision", async () => {
    await using collector = await startCollector()
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const submit = (headers: Record<string, string>) => async (service: RunningService) =>
      assert.equal((await post(service.url, quote, { headers })).status, 201)
    await traced(collector, submit({}), { ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' })
    await traced(collector, submit({ traceparent: `00-${traceId}-${callerSpan}-00` }), endpoint)
    assert.deepEqual(collector.spans, [])
    const half = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.0' }
    await traced(collector, submit({ traceparent }), { ...endpoint, ...half })
    assert.equal(one(collector.spans, 'POST /api/v1/leads').traceId, traceId)
  })

  test('do not delay the service when the collector rejects them or is down', async () => {
    const collector = await startCollector(400)
    const refused = await traced(collector, async (service) => {
      assert.equal((await post(service.url, quote)).status, 201)
    })
    assert.equal(refused.log.find(({ msg }) => msg === 'traces not sent')?.status, 400)
    await collector[Symbol.asyncDispose]()
    await traced(collector, async (service) => {
      assert.equal((await post(service.url, quote)).status, 201)
    })
  })

  test('are off by default and when disabled: no SDK is loaded and no connection made', async () => {
    await using collector = await startCollector()
    // The API package, a few interfaces, comes with the metrics library.
    const tellLoads = `import { registerHooks } from 'node:module'
      registerHooks({ load(url, context, next) {
        if (/@opentelemetry\\/(?!api\\/)|ops\\/(otel|spans)/.test(url)) console.log('loaded ' + url)
        return next(url, context)
      } })`
    const command = ['node', '--import', `data:text/javascript,${encodeURIComponent(tellLoads)}`, 'src/main.ts']
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const runs: [env: Record<string, string>, loads: boolean][] = [
      [{}, false],
      [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, false],
      [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
      [{ ...endpoint, OTEL_TRACES_SAMPLER: 'always_on' }, true],
    ]
    for (const [env, loads] of runs) {
      const service = await runService(env, command)
      try {
        assert.equal((await post(service.url, quote)).status, 201)
        service.signal('SIGTERM')
        await service.exited
        assert.equal(service.output().includes('loaded '), loads, service.output())
        assert.equal(service.output().includes('traceId'), loads)
        assert.equal(collector.connections > 0, loads)
      } finally {
        await service.dispose()
      }
    }
  })
})
