import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { create, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../src/gen/leadintake/v1/intake_pb.ts'
import { envelope } from '../test/support/http2-frames.ts'
import type { ContestantName, Server } from './servers.ts'

/**
 * The result of a load generator: complete answers, those of them with a status of 400 or more, requests without an answer,
 * and quantiles of the latency in milliseconds (NaN: h2load reports none).
 */
type Outcome = Record<'answers' | 'failed' | 'broken' | 'seconds' | 'p50' | 'p99', number>

/** A kind of request to measure, and which servers to measure with it. */
export interface Workload {
  title: string
  /** The one to compare with, the service, and others. */
  contestants: readonly [ContestantName, ContestantName, ...ContestantName[]]
  /** What a counted answer means: a row in PostgreSQL, a refusal, or neither. */
  counts: 'rows' | 'refusals' | 'answers'
  /** Whether all servers get the same rate. Otherwise each gets requests as fast as it answers. */
  paced: boolean
  /** `rate`: requests a second, 0 for as many as the server can answer. */
  load(server: Server, seconds: number, rate: number): Promise<Outcome>
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

const run = promisify(execFile)

/** Loads an HTTP/1.1 server over keep-alive connections, each with one request at a time. */
async function wrk(url: string, seconds: number, rate: number, args: string[] = [], options = ['-c64']) {
  const script = join(import.meta.dirname, 'load.lua')
  const load = ['-t1', ...options, `-d${seconds}s`, '--latency', '-s', script, url, '--', String(rate), ...args]
  const { stdout } = await run('wrk', load)
  const report: Outcome & { duration: number } = JSON.parse(stdout.trim().split('\n').at(-1) as string)
  return { ...report, seconds: report.duration / 1e6, p50: report.p50 / 1000, p99: report.p99 / 1000 }
}

/** Repeats one gRPC call over four connections with 16 streams each. */
async function h2load(url: string, seconds: number, rate: number): Promise<Outcome> {
  const lead = { case: 'quoteRequest', value: quote } as const
  const body = join(tmpdir(), `lead-intake-bench-${process.pid}.grpc`)
  writeFileSync(body, envelope(toBinary(SubmitLeadRequestSchema, create(SubmitLeadRequestSchema, { lead }))))
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers']
  const pace = rate > 0 ? [`--rps=${rate / 4}`] : []
  const { stdout } = await run('h2load', [`-D${seconds}`, '-c4', '-m16', ...pace, '-d', body, ...headers, url])
  const [, ...counts] = /, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/.exec(stdout) ?? []
  const [answers, failed, errored, timedOut] = counts.map(Number) as [number, number, number, number]
  return { answers, failed, broken: errored + timedOut, seconds, p50: Number.NaN, p99: Number.NaN }
}

let loads = 0
/** Each load has its own range of clients and contents, with more of them than any server stores in a round. */
const submissions = (body: object = quote) => [
  String(loads++ * 1_000_000),
  JSON.stringify(body).replaceAll('00000000', '%08d'),
]

const leads = ({ publicUrl }: Server) => `${publicUrl}/api/v1/leads`
const openApi = ({ publicUrl }: Server) => `${publicUrl}/openapi.json`
const submitLead = '/leadintake.v1.LeadIntakeService/SubmitLead'

const submission = { contestants: ['raw-io', 'lead-intake', 'fastify'], counts: 'rows' } as const
const document = { contestants: ['bare-koa', 'lead-intake'], counts: 'answers', paced: true } as const

/** All workloads. A closed loop shows the rate and the latency under load; CPU is compared at one rate for all servers. */
export const workloads = {
  submit: {
    ...submission,
    title: 'REST submissions, 64 under way',
    paced: false,
    load: (server, seconds, rate) => wrk(leads(server), seconds, rate, submissions()),
  },
  'submit-paced': {
    ...submission,
    title: 'REST submissions, all servers at one rate',
    paced: true,
    load: (server, seconds, rate) => wrk(leads(server), seconds, rate, submissions()),
  },
  'submit-4': {
    title: 'REST submissions, 4 under way',
    contestants: ['fastify', 'lead-intake'],
    counts: 'rows',
    paced: false,
    load: (server, seconds, rate) => wrk(leads(server), seconds, rate, submissions(), ['-c4']),
  },
  'connect-json': {
    title: 'Connect JSON submissions, all servers at one rate',
    contestants: ['connect', 'lead-intake'],
    counts: 'rows',
    paced: true,
    // The internal listener takes 32 connections.
    load: ({ connectUrl }, seconds, rate) =>
      wrk(connectUrl + submitLead, seconds, rate, submissions({ quoteRequest: quote }), ['-c24']),
  },
  grpc: {
    title: 'gRPC submissions over 4 connections, all servers at one rate',
    contestants: ['connect', 'lead-intake-repeats'],
    counts: 'rows',
    paced: true,
    load: ({ internalUrl }, seconds, rate) => h2load(internalUrl + submitLead, seconds, rate),
  },
  refuse: {
    title: 'Refusals (429) of one abusive client, all servers at one rate',
    contestants: ['bare-koa', 'lead-intake'],
    counts: 'refusals',
    paced: true,
    load: (server, seconds, rate) => wrk(leads(server), seconds, rate, [JSON.stringify(quote)]),
  },
  document: {
    ...document,
    title: 'Documents: /openapi.json, 200, all servers at one rate',
    load: (server, seconds, rate) => wrk(openApi(server), seconds, rate),
  },
  'document-304': {
    ...document,
    title: 'Documents: /openapi.json, 304, all servers at one rate',
    load: async (server, seconds, rate) => {
      const { headers } = await fetch(openApi(server), { headers: { 'accept-encoding': 'identity' } })
      return await wrk(openApi(server), seconds, rate, [], ['-c64', '-H', `If-None-Match: ${headers.get('etag')}`])
    },
  },
} satisfies Record<string, Workload>

export type WorkloadName = keyof typeof workloads
