import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { ProblemCode } from '../problem/table.ts'
import type { Answer } from './answer.ts'
import type { Client } from './client.ts'
import type { Cors } from './cors.ts'
import type { HeaderFields } from './header-fields.ts'
import type { ProblemError } from './problem-error.ts'

/** State of a request while it is being answered. */
export interface RequestState {
  requestId: string
  /** Undefined: the target is neither a path nor a URL. */
  path: string | undefined
  /** The sender, if admission needed to know. */
  client: Client | undefined
  /** Fields of the answer, even of a problem: from the route's `cors`, and from the limiter's decision. */
  corsFields: HeaderFields
  rateFields: HeaderFields
  answer: Answer | undefined
  /** The code of the problem, if the answer is one. */
  problemCode: ProblemCode | undefined
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
/** Answers a request, or throws an error that is rendered as a problem. */
export type Handler = (ctx: Context) => Answer | Promise<Answer>

/** The limiter's decision about a POST. */
export interface Admission {
  client: Client
  /** Rate-limit fields for the answer, whatever its status. */
  fields: HeaderFields
  /** The problem to answer. Undefined: the POST is within the limit. */
  refusal: ProblemError | undefined
}

/** A path of the public listener. */
export interface Route {
  path: string
  /** By method. HEAD is answered wherever GET is. */
  methods: Partial<Record<'GET' | 'HEAD' | 'POST' | 'OPTIONS', Handler>>
  /** The value of `Allow` (RFC 9110 §10.2.1). */
  allow: string
  /** Fields of every answer on this path, whatever its status. */
  fields: HeaderFields
  /** Whether problems link to the API description and to the page about their code. */
  linksProblems?: boolean
  /** Fields for scripts of the business's website, on every answer of this path. */
  cors?: Cors
  /** Counts a POST before anything else about it is checked. */
  admit?: (req: IncomingMessage) => Promise<Admission>
}

/** A route that only supports GET and HEAD. */
export function readOnly(path: string, handler: Handler, fields: HeaderFields = []): Route {
  return { path, methods: { GET: handler, HEAD: handler }, allow: 'GET, HEAD', fields }
}

/** Redirects a GET or HEAD of a path with an extra slash at its end to the path without it (RFC 9110 §15.4.9). */
export function redirectToRoute(baseUrl: string, route: Route | undefined, { method, state }: Context) {
  if (!route || state.path !== `${route.path}/` || (method !== 'GET' && method !== 'HEAD') || !route.methods.GET) return
  return { status: 308, fields: ['Location', baseUrl + route.path], body: '' } satisfies Answer
}

/** `OPTIONS *`: the capabilities of the whole server (RFC 9110 §9.3.7). */
export const serverOptions: Route = {
  path: '*',
  methods: { OPTIONS: () => ({ status: 204, fields: ['Allow', 'GET, HEAD, POST, OPTIONS'] }) },
  allow: 'OPTIONS',
  fields: ['Cache-Control', 'no-store'],
}
