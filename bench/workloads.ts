import { join } from 'node:path'
import { type Contestant, type ContestantName, contestants } from './contestants.ts'
import { type Outcome, runH2load, runWrk } from './load.ts'
import { quoteJson } from './sample-quote.ts'
import type { Server } from './server.ts'

/** What a load needs in addition to the server. */
export interface LoadContext {
  server: Server
  name: ContestantName
  seconds: number
  /** The folder for this run's files. */
  directory: string
}

/** A kind of request to measure, and which servers to measure with it. */
export interface Workload {
  title: string
  /** Concurrent requests. */
  inFlight: number
  contestants: readonly ContestantName[]
  /** The server whose results are 1 in the ratios. */
  baseline: ContestantName
  /** What a counted answer means: a row in PostgreSQL, a refusal, or neither. */
  counts: 'rows' | 'refusals' | 'answers'
  load(context: LoadContext): Promise<Outcome>
}

/** More than any server stores in a round, because each load uses its own range of clients and contents. */
const clientsPerLoad = 1_000_000
let loads = 0
const firstClient = () => String(loads++ * clientsPerLoad)

const leadsPath = '/api/v1/leads'
const documentPath = '/openapi.json'
const submitLeadPath = '/leadintake.v1.LeadIntakeService/SubmitLead'

/** The file that h2load sends: one gRPC message. */
export const grpcBodyFile = 'submit-lead.grpc'

const submit = (connections: number) => (context: LoadContext) =>
  runWrk({
    url: context.server.publicUrl + leadsPath,
    script: 'submit.lua',
    args: [firstClient()],
    connections,
    seconds: context.seconds,
  })

const getDocument = (context: LoadContext, headers: Record<string, string>) =>
  runWrk({
    url: context.server.publicUrl + documentPath,
    script: 'get.lua',
    headers,
    connections: 64,
    seconds: context.seconds,
  })

/** All workloads. */
export const workloads = {
  submit: {
    title: 'REST submissions, 64 under way',
    inFlight: 64,
    contestants: ['raw-io', 'lead-intake', 'fastify'],
    baseline: 'raw-io',
    counts: 'rows',
    load: submit(64),
  },
  'submit-4': {
    title: 'REST submissions, 4 under way',
    inFlight: 4,
    contestants: ['raw-io', 'lead-intake', 'fastify'],
    baseline: 'raw-io',
    counts: 'rows',
    load: submit(4),
  },
  'connect-json': {
    title: 'Connect JSON submissions, 64 under way',
    inFlight: 64,
    contestants: ['connect', 'lead-intake'],
    baseline: 'connect',
    counts: 'rows',
    load: ({ server, name, seconds }) => {
      const contestant: Contestant = contestants[name]
      return runWrk({
        url: (contestant.connect === 'public' ? server.publicUrl : server.internalUrl) + submitLeadPath,
        script: 'submit.lua',
        args: [firstClient(), '{"quoteRequest":', '}'],
        connections: 64,
        seconds,
      })
    },
  },
  grpc: {
    title: 'gRPC submissions, 4 connections with 16 streams each',
    inFlight: 64,
    contestants: ['connect', 'lead-intake-repeats', 'go'],
    baseline: 'connect',
    counts: 'rows',
    load: ({ server, seconds, directory }) =>
      runH2load({
        url: server.internalUrl + submitLeadPath,
        bodyFile: join(directory, grpcBodyFile),
        headers: { 'content-type': 'application/grpc', te: 'trailers' },
        connections: 4,
        streams: 16,
        seconds,
        logFile: join(directory, 'h2load.log'),
      }),
  },
  refuse: {
    title: 'Refusals (429) of one abusive client',
    inFlight: 64,
    contestants: ['bare-koa', 'lead-intake'],
    baseline: 'bare-koa',
    counts: 'refusals',
    load: ({ server, seconds }) =>
      runWrk({
        url: server.publicUrl + leadsPath,
        script: 'refuse.lua',
        args: [quoteJson],
        connections: 64,
        seconds,
      }),
  },
  document: {
    title: 'Documents: /openapi.json, 200',
    inFlight: 64,
    contestants: ['bare-koa', 'lead-intake'],
    baseline: 'bare-koa',
    counts: 'answers',
    load: (context) => getDocument(context, {}),
  },
  'document-304': {
    title: 'Documents: /openapi.json, 304',
    inFlight: 64,
    contestants: ['bare-koa', 'lead-intake'],
    baseline: 'bare-koa',
    counts: 'answers',
    load: async (context) => {
      const { headers } = await fetch(context.server.publicUrl + documentPath, {
        headers: { 'accept-encoding': 'identity' },
      })
      return await getDocument(context, { 'If-None-Match': headers.get('etag') ?? '' })
    },
  },
} satisfies Record<string, Workload>

export type WorkloadName = keyof typeof workloads
