import { join } from 'node:path'

/** A server that is measured. */
export interface Contestant {
  label: string
  /** What it is made of. */
  parts: string
  /** Its entry file, from this folder. */
  entry: string
  env?: Readonly<Record<string, string>>
  /** Which of its two ports speaks Connect over HTTP/1.1, if any does. */
  connect?: 'public' | 'internal'
}

/** The service as its image runs it, with the default settings: consent record, duplicate check, idempotency, request log and metrics are all on. */
const service: Contestant = {
  label: 'lead-intake',
  parts: 'this service, everything on',
  entry: '../dist/main.js',
  env: {
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../dist/compile-cache'),
    TRUSTED_PROXIES: 'loopback',
    TEST_LEADS: 'accept',
    LOG_LEVEL: 'info',
    DRAIN_SECONDS: '0',
  },
  connect: 'internal',
}

/** Every server by its short name. */
export const contestants = {
  'lead-intake': service,
  // h2load sends one body again and again, which must not be answered as a duplicate. The service hashes it all the same.
  'lead-intake-repeats': {
    ...service,
    parts: 'this service, duplicates let through',
    env: { ...service.env, DUPLICATE_WINDOW_HOURS: '0' },
  },
  'raw-io': {
    label: 'raw-io',
    parts: 'bare node:http, by hand, group commit',
    entry: 'peer/raw-io.ts',
  },
  fastify: { label: 'Fastify 5', parts: '@fastify/rate-limit, ajv, pg pool', entry: 'peer/fastify.ts' },
  express: { label: 'Express 5', parts: 'express-rate-limit, zod, pg pool', entry: 'peer/express.ts' },
  koa: { label: 'Koa 3', parts: 'rate-limiter-flexible, zod, pg pool', entry: 'peer/koa.ts' },
  connect: { label: 'connect-node', parts: 'protovalidate, pg pool', entry: 'peer/connect.ts', connect: 'public' },
  'bare-koa': { label: 'bare Koa 3', parts: 'nothing behind it', entry: 'peer/bare-koa.ts' },
} satisfies Record<string, Contestant>

export type ContestantName = keyof typeof contestants

/** How a server is called where there is room. */
export function titleOf({ label, parts }: Contestant): string {
  return `${label}: ${parts}`
}
