import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type Koa from 'koa'

/** What is known of a request while it is answered. */
export interface RequestState {
  requestId: string
  /** The route's label in metrics and logs: a path of ours, never a caller's. */
  route: string
  /** The problem that answered, if one did. */
  problemCode: string | undefined
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Handler = (ctx: Context) => void | Promise<void>

/** One path of the public listener. */
export interface Route {
  path: string
  /** By method; HEAD is answered wherever GET is. */
  methods: Partial<Record<'GET' | 'HEAD' | 'POST' | 'OPTIONS', Handler>>
  /** The methods that `Allow` lists (RFC 9110 §10.2.1). */
  allow: string
  /** Fields of every answer on this path, whatever its status. */
  headers: OutgoingHttpHeaders
  /** Fields that depend on the request, on every answer of this path. */
  decorate?: (req: IncomingMessage, res: ServerResponse) => void
  /** Counts and admits a POST before anything else of it is looked at. */
  admit?: (req: IncomingMessage, res: ServerResponse) => Promise<void>
}

/** A route that is only read. */
export function readOnly(path: string, handler: Handler): Route {
  return { path, methods: { GET: handler, HEAD: handler }, allow: 'GET, HEAD', headers: {} }
}
