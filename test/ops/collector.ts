import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { BinaryReader } from '@bufbuild/protobuf/wire'

/** A span as a collector receives it (opentelemetry-proto, trace/v1). */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  traceState: string
  /** Empty for the root of a trace. */
  parentSpanId: string
  name: string
  /** 1 internal, 2 server, 3 client. */
  kind: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  /** 2: an error. */
  status: number
  /** The attributes of its resource. */
  resource: Record<string, unknown>
}

export interface Collector extends AsyncDisposable {
  url: string
  spans: ReceivedSpan[]
  /** The exports in their original form. */
  bodies: Buffer[]
  connections: number
}

/** An OTLP collector (HTTP, protobuf) that records what it receives. `status` is its answer. */
export async function startCollector(status = 200): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const sent = Buffer.concat(chunks)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf') {
      collector.bodies.push(body)
      collector.spans.push(...readExport(body))
    }
    response.writeHead(status, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  server.on('connection', () => collector.connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    connections: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return collector
}

/** Parses a message by field number. Fields without a handler are skipped. */
function readFields(bytes: Uint8Array, handlers: Record<number, (reader: BinaryReader) => void>): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    const handle = handlers[field]
    if (handle) handle(reader)
    else reader.skip(wireType, field)
  }
}

const hex = (reader: BinaryReader) => Buffer.from(reader.bytes()).toString('hex')

function readExport(body: Uint8Array): ReceivedSpan[] {
  const spans: ReceivedSpan[] = []
  readFields(body, {
    1: (request) => {
      const resource: Record<string, unknown> = {}
      readFields(request.bytes(), {
        1: (reader) => readFields(reader.bytes(), { 1: (attribute) => readAttribute(attribute.bytes(), resource) }),
        2: (reader) => readFields(reader.bytes(), { 2: (span) => spans.push(readSpan(span.bytes(), resource)) }),
      })
    },
  })
  return spans
}

function readSpan(bytes: Uint8Array, resource: Record<string, unknown>): ReceivedSpan {
  const span: ReceivedSpan = {
    traceId: '',
    spanId: '',
    traceState: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    attributes: {},
    links: [],
    status: 0,
    resource,
  }
  readFields(bytes, {
    1: (reader) => (span.traceId = hex(reader)),
    2: (reader) => (span.spanId = hex(reader)),
    3: (reader) => (span.traceState = reader.string()),
    4: (reader) => (span.parentSpanId = hex(reader)),
    5: (reader) => (span.name = reader.string()),
    6: (reader) => (span.kind = reader.uint32()),
    9: (reader) => readAttribute(reader.bytes(), span.attributes),
    13: (reader) => {
      const link = { traceId: '', spanId: '' }
      readFields(reader.bytes(), { 1: (id) => (link.traceId = hex(id)), 2: (id) => (link.spanId = hex(id)) })
      span.links.push(link)
    },
    15: (reader) => readFields(reader.bytes(), { 3: (status) => (span.status = status.uint32()) }),
  })
  return span
}

function readAttribute(bytes: Uint8Array, into: Record<string, unknown>): void {
  let key = ''
  let value: unknown
  readFields(bytes, {
    1: (reader) => (key = reader.string()),
    2: (reader) =>
      readFields(reader.bytes(), {
        1: (any) => (value = any.string()),
        2: (any) => (value = any.bool()),
        3: (any) => (value = Number(any.int64())),
        4: (any) => (value = any.double()),
      }),
  })
  into[key] = value
}
