import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { create, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../src/gen/leadintake/v1/intake_pb.ts'
import { envelope } from '../test/support/http2-frames.ts'
import type { Load, Outcome } from './load.ts'
import type { ContestantName, Server } from './servers.ts'

/** A kind of request to measure. All its servers get the same. */
export interface Workload {
  /** The one to compare with, the service, and others. */
  contestants: readonly [ContestantName, ContestantName, ...ContestantName[]]
  /** What a counted answer means: a row in PostgreSQL, a refusal, or neither. */
  counts: 'rows' | 'refusals' | 'answers'
  /** Requests a second. 0: as many as the server can answer, 64 under way. */
  rate: number
  send(server: Server, rate: number, seconds: number): Promise<Outcome>
}

/** Workloads that use the same processes, one after the other. `env`: settings of the servers. */
export interface Group {
  env: Readonly<Record<string, string>>
  workloads: Readonly<Record<string, Workload>>
}

/** A quote. In each submission of a load, a number takes the place of the zeros. */
export const quote = {
  name: 'Customer 00000000',
  phone: '2025550123',
  email: 'customer.00000000@example.com',
  bedrooms: '3',
  bathrooms: '2.5',
  service: 'Deep cleaning',
  notes: 'Visit 00000000. Two cats and one dog, wooden floors on both storeys, keys are with the neighbour.',
  communicationsConsent: true,
  consentTimestamp: '2026-11-20T10:00:00Z',
  pageUrl: 'https://www.example.com/quote',
}

/** Runs a generator of load, which ends by itself unless something hangs. */
const run = (file: string, args: string[]) =>
  promisify(execFile)(file, args, { timeout: 60_000, killSignal: 'SIGKILL' })

let loads = 0
/** Each load has its own range of clients and contents: together, as many as fit into 10.0.0.0/8. */
async function send(url: string, request: string, load: Omit<Load, 'port' | 'request' | 'from'>) {
  const all: Load = { port: Number(new URL(url).port), request, from: (loads++ % 160) * 100_000 + 1, ...load }
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'load.ts'), JSON.stringify(all)])
  return JSON.parse(stdout) as Outcome
}

function requestOf(method: string, path: string, fields: readonly string[] = [], body = ''): string {
  const content = body && ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...fields, ...content, '', body].join('\r\n')
}

const fromAnyone = 'X-Forwarded-For: #'
const submission = requestOf('POST', '/api/v1/leads', [fromAnyone], JSON.stringify(quote))

/** Submissions from different clients with different contents, so that neither the limit nor a duplicate answers. */
export const submit = ({ publicUrl }: Server, rate: number, seconds: number, connections = 64, leadIn = 0) =>
  send(publicUrl, submission, { rate, connections, seconds, leadIn })

const openApi = '/openapi.json'
const submitLead = '/leadintake.v1.LeadIntakeService/SubmitLead'

/** Repeats one gRPC call over four connections. */
async function sendGrpc({ internalUrl }: Server, rate: number, seconds: number): Promise<Outcome> {
  const lead = { case: 'quoteRequest', value: quote } as const
  const body = join(tmpdir(), `lead-intake-bench-${process.pid}.grpc`)
  writeFileSync(body, envelope(toBinary(SubmitLeadRequestSchema, create(SubmitLeadRequestSchema, { lead }))))
  const pace = [`-D${seconds * 1_000}ms`, '-c4', '-m16', `--rps=${rate / 4}`]
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers']
  const { stdout } = await run('h2load', [...pace, '-d', body, ...headers, internalUrl + submitLead])
  const [, ...counts] = /, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/.exec(stdout) ?? []
  const [good = 0, failed = 0, errored = 0, timedOut = 0] = counts.map(Number)
  const statuses = { 200: good, ...(failed > 0 && { failed }) }
  return { seconds, statuses, good, unsent: 0, broken: errored + timedOut, p50: Number.NaN, p99: Number.NaN }
}

/** Repeats a request to the public listener. */
const repeat =
  (request: string) =>
  ({ publicUrl }: Server, rate: number, seconds: number) =>
    send(publicUrl, request, { rate, connections: 64, seconds })

const rest = { counts: 'rows', send: submit } as const
const document = { contestants: ['bare-koa', 'lead-intake'], counts: 'answers', rate: 1_000 } as const

export const groups = {
  REST: {
    env: {},
    workloads: {
      submit: { ...rest, contestants: ['fastify', 'lead-intake', 'fastify-same', 'raw-io'], rate: 0 },
      'submit 500': {
        ...rest,
        contestants: ['fastify', 'lead-intake', 'fastify-same', 'raw-io', 'lead-intake-followed'],
        rate: 500,
      },
      'submit 1000': { ...rest, contestants: ['fastify', 'lead-intake', 'fastify-same'], rate: 1_000 },
    },
  },
  RPC: {
    // h2load repeats one body, which must not be answered as a duplicate. The service still hashes it.
    env: { DUPLICATE_WINDOW_HOURS: '0' },
    workloads: {
      gRPC: { contestants: ['connect', 'lead-intake'], counts: 'rows', rate: 1_000, send: sendGrpc },
      'Connect JSON': {
        contestants: ['connect', 'lead-intake'],
        counts: 'rows',
        rate: 1_000,
        // The internal listener takes 32 connections.
        send: ({ connectUrl }, rate, seconds) =>
          send(connectUrl, requestOf('POST', submitLead, [], JSON.stringify({ quoteRequest: quote })), {
            ...{ rate, connections: 24, seconds },
          }),
      },
    },
  },
  documents: {
    env: {},
    workloads: {
      '429': { ...document, counts: 'refusals', send: repeat(submission.replace('#', '192.0.2.3')) },
      '200': { ...document, send: repeat(requestOf('GET', openApi)) },
      '304': {
        ...document,
        async send(server, rate, seconds) {
          const { headers } = await fetch(server.publicUrl + openApi, { headers: { 'accept-encoding': 'identity' } })
          return await repeat(requestOf('GET', openApi, [`If-None-Match: ${headers.get('etag')}`]))(
            server,
            rate,
            seconds,
          )
        },
      },
    },
  },
} satisfies Record<string, Group>

/** Over how many connections twice the peak is offered. */
export const overloadConnections = [256, 1_024, 4_000] as const
