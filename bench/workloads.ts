import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { create, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../src/gen/leadintake/v1/intake_pb.ts'
import type { ContestantName, Server } from './servers.ts'

/** The result of a load generator. */
interface Outcome {
  /** Complete answers. */
  answers: number
  /** Answers with a status of 400 or more. */
  failed: number
  /** Requests without an answer: the connection was refused, broken or timed out. */
  broken: number
  seconds: number
  /** Latency in milliseconds. NaN: h2load reports no quantiles. */
  p50: number
  p99: number
}

/** A kind of request to measure, and which servers to measure with it. */
export interface Workload {
  title: string
  /** The one to compare with, the service, and others. */
  contestants: readonly [ContestantName, ContestantName, ...ContestantName[]]
  /** What a counted answer means: a row in PostgreSQL, a refusal, or neither. */
  counts: 'rows' | 'refusals' | 'answers'
  load(server: Server, seconds: number): Promise<Outcome>
}

/** A quote like those from `load.lua`. */
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
async function wrk(url: string, seconds: number, args: string[] = [], options: string[] = ['-c64']): Promise<Outcome> {
  const script = join(import.meta.dirname, 'load.lua')
  const load = ['-t1', ...options, `-d${seconds}s`, '--latency', '-s', script, url, '--', ...args]
  const { stdout } = await run('wrk', load)
  const report: Outcome & { duration: number } = JSON.parse(stdout.trim().split('\n').at(-1) as string)
  return { ...report, seconds: report.duration / 1e6, p50: report.p50 / 1000, p99: report.p99 / 1000 }
}

/** Repeats one gRPC call over four connections with 16 streams each. */
async function h2load(url: string, seconds: number): Promise<Outcome> {
  const lead = { case: 'quoteRequest', value: quote } as const
  const message = toBinary(SubmitLeadRequestSchema, create(SubmitLeadRequestSchema, { lead }))
  // Not compressed, and its length (gRPC over HTTP/2, Length-Prefixed-Message).
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  const body = join(tmpdir(), `lead-intake-bench-${process.pid}.grpc`)
  writeFileSync(body, Buffer.concat([prefix, message]))
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers']
  const { stdout } = await run('h2load', [`-D${seconds}`, '-c4', '-m16', '-d', body, ...headers, url])
  const [, ...counts] = /, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/.exec(stdout) ?? []
  const [answers, failed, errored, timedOut] = counts.map(Number) as [number, number, number, number]
  return { answers, failed, broken: errored + timedOut, seconds, p50: Number.NaN, p99: Number.NaN }
}

let loads = 0
/** Each load has its own range of clients and contents, with more of them than any server stores in a round. */
const submissions = (before = '', after = '') => [String(loads++ * 1_000_000), before, after]

const leads = ({ publicUrl }: Server) => `${publicUrl}/api/v1/leads`
const openApi = ({ publicUrl }: Server) => `${publicUrl}/openapi.json`
const submitLead = '/leadintake.v1.LeadIntakeService/SubmitLead'

/** All workloads. */
export const workloads = {
  submit: {
    title: 'REST submissions, 64 under way',
    contestants: ['raw-io', 'lead-intake', 'fastify'],
    counts: 'rows',
    load: (server, seconds) => wrk(leads(server), seconds, submissions()),
  },
  'submit-4': {
    title: 'REST submissions, 4 under way',
    contestants: ['raw-io', 'lead-intake', 'fastify'],
    counts: 'rows',
    load: (server, seconds) => wrk(leads(server), seconds, submissions(), ['-c4']),
  },
  'connect-json': {
    title: 'Connect JSON submissions, 64 under way',
    contestants: ['connect', 'lead-intake'],
    counts: 'rows',
    load: ({ connectUrl }, seconds) => wrk(connectUrl + submitLead, seconds, submissions('{"quoteRequest":', '}')),
  },
  grpc: {
    title: 'gRPC submissions, 4 connections with 16 streams each',
    contestants: ['connect', 'lead-intake-repeats', 'go'],
    counts: 'rows',
    load: ({ internalUrl }, seconds) => h2load(internalUrl + submitLead, seconds),
  },
  refuse: {
    title: 'Refusals (429) of one abusive client',
    contestants: ['bare-koa', 'lead-intake'],
    counts: 'refusals',
    load: (server, seconds) => wrk(leads(server), seconds, [JSON.stringify(quote)]),
  },
  document: {
    title: 'Documents: /openapi.json, 200',
    contestants: ['bare-koa', 'lead-intake'],
    counts: 'answers',
    load: (server, seconds) => wrk(openApi(server), seconds),
  },
  'document-304': {
    title: 'Documents: /openapi.json, 304',
    contestants: ['bare-koa', 'lead-intake'],
    counts: 'answers',
    load: async (server, seconds) => {
      const { headers } = await fetch(openApi(server), { headers: { 'accept-encoding': 'identity' } })
      return await wrk(openApi(server), seconds, [], ['-c64', '-H', `If-None-Match: ${headers.get('etag')}`])
    },
  },
} satisfies Record<string, Workload>

export type WorkloadName = keyof typeof workloads
