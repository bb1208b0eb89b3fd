import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LegacySchedule } from '../config/config.ts'
import type { SubmissionPath } from '../lead/submission.ts'
import type { Submit } from '../lead/submit.ts'
import type { Limiter } from '../limit/decision.ts'
import { createRateHeaders } from '../limit/headers.ts'
import { acceptedMediaType, readBody, requireJson } from './body.ts'
import type { ReadClient } from './client.ts'
import type { SetCors } from './cors.ts'
import { parseJsonObject } from './json.ts'
import { isRemoved, leadsPath, legacyHeaders, legacyPath } from './legacy.ts'
import { ProblemError } from './problem-error.ts'
import type { Context, Handler, Route } from './routes.ts'

export interface LeadRouteOptions {
  submit: Submit
  limiter: Limiter
  readClient: ReadClient
  setCors: SetCors
  legacy: LegacySchedule
  baseUrl: string
  now: () => number
  /** Submissions that may be under way at once; more are told `overloaded`. */
  maxInFlight: number
  onLead(path: SubmissionPath, outcome: string): void
}

/** Credentials that no part of this API takes (contract §5). */
const credentialHeaders = ['authorization', 'proxy-authorization', 'x-api-key'] as const

const allow = 'POST, OPTIONS'

/** The two lead paths. Both run the same checks in the contract's order (§3) and share one bucket a client. */
export function createLeadRoutes(options: LeadRouteOptions): Route[] {
  const { limiter, readClient, setCors, legacy, baseUrl, now } = options
  const rateHeaders = createRateHeaders()
  let inFlight = 0

  async function admit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const decision = await limiter.consume(readClient(req).key)
    for (const [name, value] of rateHeaders(decision)) res.setHeader(name, value)
    if (decision.allowed) return
    throw new ProblemError('rate_limited', {
      detail: `The limit of ${decision.limit} submissions in ${decision.windowSeconds} seconds is used up.`,
    })
  }

  async function take(ctx: Context, path: SubmissionPath): Promise<void> {
    refuseCredentials(ctx.req)
    requireJson(ctx.req)
    if (inFlight >= options.maxInFlight) throw new ProblemError('overloaded', { headers: { 'Retry-After': '1' } })
    inFlight++
    try {
      const candidate = parseJsonObject(await readBody(ctx.req, ctx.res))
      const { outcome, receipt } = await options.submit({
        candidate,
        idempotencyKey: ctx.req.headers['idempotency-key'] as string | undefined,
        origin: {
          requestId: ctx.state.requestId,
          path,
          clientAddress: readClient(ctx.req).address,
          userAgent: ctx.req.headers['user-agent'],
        },
      })
      options.onLead(path, outcome)
      ctx.status = outcome === 'duplicate' ? 200 : 201
      ctx.set('Content-Type', 'application/json; charset=utf-8')
      ctx.set('Cross-Origin-Resource-Policy', 'same-origin')
      if (outcome === 'replayed') ctx.set('Idempotency-Replayed', 'true')
      ctx.body = JSON.stringify(outcome === 'duplicate' ? { ...receipt, duplicate: true } : receipt)
    } finally {
      inFlight--
    }
  }

  function takeLegacy(ctx: Context): Promise<void> {
    if (isRemoved(legacy, now())) throw new ProblemError('version_removed')
    return take(ctx, 'rest-legacy')
  }

  const route = (path: string, post: Handler): Route => ({
    path,
    methods: { POST: post, OPTIONS: answerOptions },
    allow,
    headers: { 'Cache-Control': 'no-store' },
    decorate: setCors,
    admit,
  })
  const alias = route(legacyPath, takeLegacy)
  return [
    route(leadsPath, (ctx) => take(ctx, 'rest-v1')),
    { ...alias, headers: { ...alias.headers, ...legacyHeaders(baseUrl, legacy) } },
  ]
}

function answerOptions(ctx: Context): void {
  ctx.status = 204
  ctx.set('Allow', allow)
  ctx.set('Accept-Post', acceptedMediaType)
}

/** Not 401: there is nothing to authenticate against. The values are looked at by nobody. */
function refuseCredentials({ headers }: IncomingMessage): void {
  if (credentialHeaders.some((name) => headers[name] !== undefined)) throw new ProblemError('credentials_not_accepted')
}
