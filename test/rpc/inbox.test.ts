import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Timestamp, timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import { decodeEvidence } from '../../src/consent/evidence-texts.ts'
import { BadRequestSchema, RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { LeadInboxService, OptOutHow } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { Channel, ErasureReason, LeadKind, SubmissionPath } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { createInboxService, type StreamFacts } from '../../src/rpc/inbox-service.ts'
import { toLead } from '../../src/rpc/messages.ts'
import { setUpInbox } from '../inbox/inbox-fixture.ts'
import { makeLead, noon, storedLead } from '../store/leads.ts'
import { envelope } from '../support/http2-frames.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { refusalOf, startRpcServer, transports } from './rpc-server.ts'

async function setUp(createTransport: (baseUrl: string) => Transport = transports.gRPC) {
  const { inbox, optOuts, erase, ...fixture } = await setUpInbox()
  const streams: [StreamFacts, string][] = []
  const server = await startRpcServer({
    inbox: createInboxService({ inbox, optOuts, erase }, (...stream) => streams.push(stream), 'Example'),
  })
  const client = createClient(LeadInboxService, createTransport(server.url))
  return { ...fixture, streams, server, client, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

const iso = (time: Timestamp | undefined) => time && timestampDate(time).toISOString()

test('a lead in the inbox has the fields of a quote request, and the evidence of consent', () => {
  const content = { formType: 'quote', ...quote, phone: '2025550123', email: 'pat@example.com' }
  const stored = storedLead(makeLead({ content }))
  const lead = toLead(stored)
  assert.equal(lead.id, stored.id)
  assert.equal(lead.kind, LeadKind.QUOTE)
  assert.equal(iso(lead.receivedAt), stored.receivedAt)
  assert.equal(lead.content.case, 'quoteRequest')
  const { formType: _, ...fields } = content
  const { $typeName: __, ...shown } = lead.content.value as typeof lead.content.value & object
  assert.deepEqual(shown, fields)
  assert.deepEqual([lead.erased, lead.erasedAt, lead.erasedReason], [false, undefined, ErasureReason.UNSPECIFIED])
  const { $typeName: ___, receivedAt, ...consent } = lead.consent as NonNullable<typeof lead.consent>
  const { statementSha256: ____, id, kind, receivedAt: at, ...evidence } = decodeEvidence(stored.evidence)
  assert.deepEqual([id, kind, at, iso(receivedAt)], [stored.id, stored.kind, stored.receivedAt, stored.receivedAt])
  const personal = { clientAddress: '192.0.2.7', userAgent: 'test/1', pageUrl: quote.pageUrl }
  assert.deepEqual(consent, { ...evidence, ...personal, path: SubmissionPath.REST_V1 })
})

suite('LeadInboxService', () => {
  test('refuses invalid input with the problem and the field', async () => {
    await using fixture = await setUp()
    const { add, client, store } = fixture
    const epoch = timestampFromMs(0)
    await add(2)
    const { nextPageToken: pageToken, cursor } = await client.listLeads({ pageSize: 1 })
    const altered = (cursor[20] === 'x' ? 'y' : 'x') + cursor.slice(1)
    const contact = '2025550123'
    const faulty: Record<string, [field: string, ...requests: object[]][]> = {
      listLeads: [
        ['page_size', { pageSize: -1 }, { pageSize: 501 }],
        ['page_token', { pageToken: 'nonsense' }, { pageToken: cursor }, { pageToken, kind: LeadKind.QUOTE }],
        ['page_token', { pageToken, receivedAfter: epoch }, { pageToken, contact: 'pat@example.com' }],
        ['kind', { kind: 7 }],
        ['received_before', { receivedAfter: epoch, receivedBefore: epoch }],
        ['received_before', { receivedBefore: timestampFromMs(253_402_300_800_000) }],
        ['received_after', { receivedAfter: timestampFromMs(-62_135_596_800_001) }],
        ['received_after', { receivedAfter: { ...epoch, nanos: -1 } }, { receivedAfter: { ...epoch, nanos: 1e9 } }],
        ['contact', ...['nonsense', '202-555', 'zz@', 'Pat <pat@example.com>'].map((contact) => ({ contact }))],
      ],
      getLead: [['id', { id: 'nonsense' }]],
      eraseLead: [['id', {}]],
      recordOptOut: [
        ['contact', { contact: 'nonsense' }, {}],
        ['said_at', { contact, saidAt: timestampFromMs(noon + 360_000) }],
        ['channels', ...[0, Channel.EMAIL + 1].map((number) => ({ contact, channels: [number] }))],
        ['channels', { contact, channels: [Channel.PHONE, Channel.EMAIL] }],
        ['channels', { contact: 'a@b.co', channels: [Channel.TEXT] }],
        ['how', { contact, how: OptOutHow.OTHER + 1 }],
        ['name', { contact, name: '🧽'.repeat(201) }],
      ],
      findOptOuts: [['contact', { contact: 'nonsense' }]],
      watchLeads: [
        ['consumer', { consumer: 'non sense' }, { consumer: 'c'.repeat(51) }, { consumer: 'crm\n' }],
        ['start_now', { startNow: true, startTime: epoch }, { cursor, startNow: true }],
        ['start_time', { cursor, startTime: epoch }],
        ['kind', { kind: 7 }],
        ['cursor', ...['nonsense', 'A'.repeat(40), pageToken, altered].map((other) => ({ cursor: other }))],
      ],
    }
    const methods = client as unknown as Record<string, (request: object) => Promise<unknown> | AsyncIterable<unknown>>
    const calls = Object.entries(faulty).flatMap(([method, rows]) =>
      rows.flatMap(([field, ...requests]) => requests.map((request) => ({ method, field, request }))),
    )
    for (const { method, field, request } of calls) {
      const { error, problem } = await refusalOf(methods[method]?.(request) ?? assert.fail(method))
      assert.deepEqual([error.code, problem?.code], [Code.InvalidArgument, 'invalid_argument'])
      assert.equal(problem?.errors.length, 1)
      assert.ok(problem?.hint && problem.errors[0]?.hint)
      assert.equal(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field, field)
      for (const sent of ['nonsense', pageToken, cursor]) assert.ok(!JSON.stringify(problem).includes(sent))
    }
    assert.deepEqual(await store.listOptOuts(undefined, 9), [])
  })

  test('takes a name of 200 emoji, and counts each as one character', async () => {
    await using fixture = await setUp()
    const optOut = { contact: '2025550123', name: '🧽'.repeat(200) }
    await fixture.client.recordOptOut(optOut)
    assert.partialDeepStrictEqual((await fixture.client.findOptOuts(optOut)).optOuts, [optOut])
  })

  test('says what to do when a lead is missing, a cursor is lost, or the database is away', async () => {
    await using fixture = await setUp()
    const { add, restore, client, facts } = fixture
    for (const method of ['getLead', 'eraseLead'] as const) {
      const { error, problem } = await refusalOf(client[method]({ id: randomUUIDv7() }))
      assert.deepEqual([error.code, problem?.code], [Code.NotFound, 'lead_not_found'])
    }
    await add(2)
    const { cursor } = await client.listLeads({})
    restore(1)
    const lost = await refusalOf(client.watchLeads({ cursor }))
    assert.equal(lost.error.code, Code.OutOfRange)
    assert.partialDeepStrictEqual(lost.problem, { code: 'cursor_lost', retryable: false, retry: 'after_correction' })
    assert.match(`${lost.problem?.hint}`, /without the cursor/)
    facts.failure = new LeadError('inbox_unavailable', { retryAfterSeconds: 5 })
    const { error, problem } = await refusalOf(client.listLeads({}))
    assert.deepEqual([error.code, problem?.retryable], [Code.Unavailable, true])
    assert.equal(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds, 5n)
  })

  const impossible = Buffer.from('{"contact": "2025550177", "said\\u0041t": "2026-02-30T00:00:00Z"}')
  const filter = Buffer.from('\ufeff{"received_after":"2025-02-29T10:00:00-05:00"}')
  const start = Buffer.from('{"startTime":"2026-04-31T00:00:00Z"}')
  const compressed = gzipSync(impossible)
  const gzip = { 'content-encoding': 'gzip', 'grpc-encoding': 'gzip' }
  const rows: [how: string, method: string, type: string, body: Buffer, headers?: Record<string, string>][] = [
    ['in a request', 'RecordOptOut', 'application/json; charset=utf-8', impossible],
    ['in a filter', 'ListLeads', 'Application/JSON', filter],
    ['in a compressed request', 'RecordOptOut', 'application/json', compressed, gzip],
    ['over gRPC-Web', 'RecordOptOut', 'application/grpc-web+json', envelope(impossible)],
    ['compressed over gRPC-Web', 'RecordOptOut', 'application/grpc-web+json', envelope(compressed, 1), gzip],
    ['as a start', 'WatchLeads', 'application/connect+json', envelope(start)],
  ]
  for (const [how, method, type, body, headers] of rows)
    test(`refuses a day that does not exist, ${how}`, async () => {
      await using fixture = await setUp()
      const { server, store } = fixture
      const ended = server.nextCall()
      const init = { method: 'POST', headers: { ...headers, 'content-type': type }, body: Uint8Array.from(body) }
      const response = await fetch(`${server.url}/leadintake.v1.LeadInboxService/${method}`, init)
      assert.match(decodeURIComponent(await response.text()), /must be a time that exists/)
      assert.deepEqual([(await ended).code, await store.listOptOuts(undefined, 9)], ['invalid_argument', []])
    })

  test('applies time bounds to the nanosecond, and lists one kind', async () => {
    await using fixture = await setUp()
    await fixture.add(5)
    const at = (ms: number, nanos = 0) => {
      const time = timestampFromMs(noon + ms)
      return { ...time, nanos: time.nanos + nanos }
    }
    const kinds = async (filters: Parameters<typeof fixture.client.listLeads>[0]) =>
      (await fixture.client.listLeads(filters)).leads.map(({ kind }) => kind)
    for (const [receivedAfter, receivedBefore, count] of [
      [at(2), at(4), 2],
      [at(2, 1), at(4), 1],
      [at(2), at(4, 1), 3],
      [at(2, -1), at(4, -1), 2],
      [at(2), { ...at(2), seconds: 253_402_300_799n, nanos: 999_999_900 }, 4],
    ] as const)
      assert.equal((await kinds({ receivedAfter, receivedBefore })).length, count)
    await fixture.add(1, { kind: 'support' })
    assert.deepEqual(await kinds({ kind: LeadKind.SUPPORT }), [LeadKind.SUPPORT])
    assert.deepEqual(new Set(await kinds({ kind: LeadKind.QUOTE })), new Set([LeadKind.QUOTE]))
    assert.equal((await kinds({ kind: LeadKind.UNSPECIFIED })).length, 6)
  })

  for (const protocol of ['gRPC', 'Connect over HTTP/1.1'] as const) {
    test(`stops reading for a caller that disconnects by ${protocol}`, async () => {
      await using fixture = await setUp(transports[protocol])
      const leave = new AbortController()
      const ended = fixture.server.nextCall()
      const stream = fixture.client.watchLeads({ consumer: 'crm' }, { signal: leave.signal })[Symbol.asyncIterator]()
      assert.equal((await stream.next()).value?.caughtUp, true)
      const next = stream.next()
      await until('it listens', () => fixture.facts.listeners === 1)
      leave.abort()
      assert.equal((await refusalOf(next)).error.code, Code.Canceled)
      const { code, requestId } = await ended
      assert.equal(code, 'canceled')
      await until('it listens no longer', () => fixture.facts.listeners === 0)
      const facts = { requestId, consumer: 'crm' }
      const closed = [{ ...facts, leads: 0 }, 'feed closed']
      assert.partialDeepStrictEqual(fixture.streams, [[facts, 'feed opened'], closed])
      assert.deepEqual(fixture.server.errors, [])
    })
  }
})
