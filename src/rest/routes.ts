import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { HeaderFields } from '../header-fields.ts'
import type { Answer } from './answer.ts'
import type { Client } from './client.ts'
import type { ProblemError } from './problem-error.ts'

/** What is known of a request while it is answered. */
export interface RequestState {
  requestId: string
  /** Who sent it, where that was asked for admission. */
  client: Client | undefined
}

export type Context = Koa.ParameterizedContext<RequestState>
/** Answers a request, or throws what becomes a problem. */
export type Handler = (ctx: Context) => Answer | Promise<Answer>

/** What the limiter says of a POST. */
export interface Admission {
  client: Client
  /** The fields of its answer, whatever its status. */
  fields: HeaderFields
  /** Undefined: admitted. */
  refusal: ProblemError | undefined
}

/** One path of the public listener. */
export interface Route {
  path: string
  /** By method; HEAD is answered wherever GET is. */
  methods: Partial<Record<'GET' | 'HEAD' | 'POST' | 'OPTIONS', Handler>>
  /** The methods that `Allow` lists (RFC 9110 §10.2.1). */
  allow: string
  /** Fields of every answer on this path, whatever its status. */
  fields: HeaderFields
  /** Whether its problems link to the description of the API and to the page about their code. */
  linksProblems?: boolean
  /** Fields that depend on the request, on every answer of this path. */
  decorate?: (req: IncomingMessage) => HeaderFields
  /** Counts a POST before anything else of it is looked at. */
  admit?: (req: IncomingMessage) => Promise<Admission>
  /** What the limiter would say of a POST, without counting it. */
  rateFields?: (req: IncomingMessage) => Promise<HeaderFields>
}

/** A route that is only read. */
export function readOnly(path: string, handler: Handler, fields: HeaderFields = []): Route {
  return { path, methods: { GET: handler, HEAD: handler }, allow: 'GET, HEAD', fields }
}

/** `OPTIONS *`: what the server as a whole can do (RFC 9110 §9.3.7). */
export const serverOptions: Route = {
  path: '*',
  methods: { OPTIONS: () => ({ status: 204, fields: ['Allow', 'GET, HEAD, POST, OPTIONS'] }) },
  allow: 'OPTIONS',
  fields: ['Cache-Control', 'no-store'],
}
