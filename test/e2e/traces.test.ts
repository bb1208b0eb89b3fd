import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { post } from '../support/http.ts'
import { listen } from '../support/ports.ts'
import { runService, untilPrinted } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

interface Span {
  name: string
  kind: number
  traceId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Prints when the code of the traces is loaded. */
const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { if (/\\/traces[^/]*$/.test(url)) console.log('loaded'); return next(url, context) } })`
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(hook)}`

async function startCollector(answer: RequestListener) {
  const server = createServer(answer)
  const url = `http://127.0.0.1:${await listen(server)}`
  return { url, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

test("traces have a span of each request and call, below the caller's, with nothing of a customer", async () => {
  const sent: { resourceSpans: { resource: object; scopeSpans: { spans: Span[] }[] }[] }[] = []
  using collector = await startCollector(async (req, res) => {
    if (req.url === '/v1/traces') sent.push((await json(req)) as never)
    res.end('{}')
  })
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'leads', NODE_OPTIONS }
  await using service = await runService(env)
  const [traceId, parentSpanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, tracestate: 'shop=pat-example' }
  const stored = await post(service.url, quote, { headers })
  const missing = await fetch(`${service.url}/leads-of/pat@example.com`)
  const path = '/leadintake.v1.LeadInboxService/GetLead'
  const found = await post(service.internalUrl, { id: stored.json.id }, { path, headers })
  service.signal('SIGTERM')
  assert.equal(await service.exited, 0)
  const spans = sent.flatMap(({ resourceSpans }) => resourceSpans.flatMap((one) => one.scopeSpans[0]?.spans ?? []))
  assert.match(JSON.stringify(sent[0]), /"service\.name","value":\{"stringValue":"leads"/)
  const seen = spans.map(({ name, kind, attributes, ...span }) => {
    const values = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
    const status = values['http.response.status_code'] ?? values['rpc.response.status_code']
    const parent = [span.parentSpanId, span.parentSpanId && span.traceId]
    return [name, kind, status, values['lead_intake.request_id'], ...parent]
  })
  const id = (answer: { headers: Headers }) => answer.headers.get('x-request-id')
  assert.deepEqual(seen, [
    ['POST /api/v1/leads', 2, 201, id(stored), parentSpanId, traceId],
    ['GET unknown', 2, 404, id(missing), undefined, undefined],
    ['leadintake.v1.LeadInboxService/GetLead', 2, 'ok', id(found), parentSpanId, traceId],
  ])
  assert.doesNotMatch(JSON.stringify(sent), /pat|example\.com|2025550123/i)
  assert.match(service.output(), /^loaded$/m)
})

test("traces obey OpenTelemetry's switches, are not even loaded without one, and slow nothing down while the collector is dead", async () => {
  using dead = await startCollector(() => {})
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: dead.url }
  const quick = { OTEL_EXPORTER_OTLP_TIMEOUT: '200', OTEL_BSP_SCHEDULE_DELAY: '50' }
  const forTraces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${dead.url}/spans` }
  for (const [env, isOn, warning] of [
    [{}, false],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, false, 'OTEL_TRACES_EXPORTER: expected otlp or none'],
    [endpoint, true],
    [{ ...endpoint, OTEL_TRACES_SAMPLER: 'sometimes' }, true, 'OTEL_TRACES_SAMPLER value \\"sometimes\\" invalid'],
    [{ ...forTraces, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, true, 'OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent'],
  ] as const) {
    await using service = await runService({ ...env, ...quick, NODE_OPTIONS })
    assert.equal((await post(service.url, quote)).status, 201)
    if (isOn) await untilPrinted(service, 'traces cannot be sent')
    service.signal('SIGTERM')
    assert.equal(await service.exited, 0)
    assert.equal(service.output().match(/traces cannot be sent/g)?.length, isOn ? 1 : undefined)
    assert.equal(service.output().includes('loaded\n'), isOn)
    assert.equal(/OTEL_\w+/.test(service.output()), warning !== undefined)
    if (warning) assert(service.output().includes(warning))
  }
})
