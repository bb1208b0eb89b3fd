import { join } from 'node:path'

/** A server to measure. */
export interface Contestant {
  label: string
  /** Its components. */
  parts: string
  /** Its entry file, or the folder of a Go program, relative to this folder. */
  entry: string
  env?: Readonly<Record<string, string>>
}

/** The service as in its image: evidence of consent, duplicate check, idempotency, request log and metrics are on. */
const service: Contestant = {
  label: 'lead-intake',
  parts: 'this service, everything on',
  entry: '../dist/main.js',
  env: { TRUSTED_PROXIES: 'loopback', TEST_LEADS: 'accept', LOG_LEVEL: 'info', DRAIN_SECONDS: '0' },
}

/** All servers, by short name. */
export const contestants = {
  'lead-intake': service,
  // h2load repeats one body, which must not be answered as a duplicate. The service still hashes it.
  'lead-intake-repeats': {
    ...service,
    parts: 'this service, duplicates let through',
    env: { ...service.env, DUPLICATE_WINDOW_HOURS: '0' },
  },
  'raw-io': { label: 'raw-io', parts: 'bare node:http, by hand, group commit', entry: 'peer/raw-io.ts' },
  fastify: { label: 'Fastify 5', parts: '@fastify/rate-limit, ajv, pg pool', entry: 'peer/fastify.ts' },
  connect: { label: 'connect-node', parts: 'protovalidate, pg pool', entry: 'peer/connect.ts' },
  go: {
    label: 'gRPC in Go',
    parts: 'regular expressions, pgx pool',
    entry: 'peer/go',
    env: { LEAD_TABLE_FILE: join(import.meta.dirname, 'peer/lead-table.sql') },
  },
  'bare-koa': { label: 'bare Koa 3', parts: 'nothing behind it', entry: 'peer/bare-koa.ts' },
} satisfies Record<string, Contestant>

export type ContestantName = keyof typeof contestants

/** The long name, where there is room for it. */
export const titleOf = (name: ContestantName): string => `${contestants[name].label}: ${contestants[name].parts}`
