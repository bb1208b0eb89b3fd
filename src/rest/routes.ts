import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { StoredFacts } from '../lead/submit.ts'
import type { ProblemCode } from '../problem/table.ts'

export type HeaderFields = Readonly<Record<string, string>>

export interface RequestState {
  requestId: string
  /** Undefined if the target is neither a path nor a URL. */
  path: string | undefined
  route: Route | undefined
  problemCode: ProblemCode | undefined
  stored: StoredFacts | undefined
}

export type Context = Koa.ParameterizedContext<RequestState>
/** Answers a request, or throws an error that is rendered as a problem. */
export type Handler = (ctx: Context) => void | Promise<void>

export interface Route {
  path: string
  methods: Partial<Record<'GET' | 'HEAD' | 'POST' | 'OPTIONS', Handler>>
  /** Fields of every answer on this path, whatever its status. */
  fields: HeaderFields
  /** Whether leads are sent here: a submission is counted before its target is checked, and problems link to help. */
  takesLeads?: boolean
  cors?: (req: IncomingMessage) => HeaderFields
}

/** Sets header fields, in half the time of Koa's `set` (docs/decisions/measurements.md, What V8 runs faster). */
export function setFields({ res }: Context, fields: HeaderFields): void {
  for (const name in fields) res.setHeader(name, fields[name] as string)
}

export function readOnly(path: string, handler: Handler, fields: HeaderFields = {}): Route {
  return { path, methods: { GET: handler, HEAD: handler }, fields }
}
