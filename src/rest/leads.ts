import type { IncomingMessage } from 'node:http'
import type { LegacySchedule } from '../config/config.ts'
import { headerFields } from '../header-fields.ts'
import { LeadError } from '../lead/error.ts'
import type { SubmissionPath } from '../lead/submission.ts'
import type { Submit, SubmitResult } from '../lead/submit.ts'
import type { Ceiling } from '../limit/ceiling.ts'
import type { Decision, Limiter } from '../limit/decision.ts'
import { rateHeaders } from '../limit/headers.ts'
import { type LeadPath, leadPaths } from '../public-paths.ts'
import { type Answer, jsonContentType } from './answer.ts'
import { acceptedMediaType, readBody, requireJson } from './body.ts'
import type { ReadClient } from './client.ts'
import type { Cors } from './cors.ts'
import { readHeader, tooLong } from './header-bounds.ts'
import { parseJsonObject } from './json.ts'
import { isRemoved, legacyFields } from './legacy.ts'
import { ProblemError } from './problem-error.ts'
import type { Admission, Context, Route } from './routes.ts'

export interface LeadRouteOptions {
  submit: Submit
  limiter: Limiter
  readClient: ReadClient
  cors: Cors
  legacy: LegacySchedule
  baseUrl: string
  now: () => number
  /** Concurrent submissions. Beyond this, callers get `overloaded`. */
  maxInFlight: number
  /** The limit for all clients together. */
  ceiling: Ceiling
  /** Called for each submission that the ceiling has refused. */
  onCeiling(): void
  onLead(path: SubmissionPath, outcome: string): void
}

/** Credential headers, which no part of this API accepts (docs/specification.md §5). */
const credentialHeaders = ['authorization', 'proxy-authorization', 'x-api-key'] as const

const allow = 'POST, OPTIONS'

const created = [...jsonContentType, 'Cross-Origin-Resource-Policy', 'same-origin']
const answers = {
  created: { status: 201, fields: created },
  replayed: { status: 201, fields: [...created, 'Idempotency-Replayed', 'true'] },
  duplicate: { status: 200, fields: created },
} as const satisfies Record<SubmitResult['outcome'], Answer>

/**
 * The lead paths. All run the same checks in the same order (docs/specification.md §3) and share one rate-limit
 * bucket per client.
 */
export function createLeadRoutes(options: LeadRouteOptions): Route[] {
  const { limiter, readClient, cors, legacy, baseUrl, now } = options
  const refusalOf = createRefusals()
  let inFlight = 0

  async function admit(req: IncomingMessage): Promise<Admission> {
    const client = readClient(req)
    const decision = await limiter.consume(client.key)
    return { client, fields: rateHeaders(decision), refusal: decision.allowed ? undefined : refusalOf(decision) }
  }

  async function take(ctx: Context, { origin }: LeadPath): Promise<Answer> {
    refuseCredentials(ctx.req)
    requireJson(ctx.req)
    if (inFlight >= options.maxInFlight) {
      throw new LeadError('overloaded', 'More submissions are in progress than the service can handle.', {
        retryAfterSeconds: 1,
      })
    }
    inFlight++
    let giveBack: (() => void) | undefined
    try {
      const candidate = parseJsonObject(await readBody(ctx.req, ctx.res))
      giveBack = takePlace()
      const { outcome, receipt } = await options.submit({
        candidate,
        idempotencyKey: idempotencyKeyOf(ctx.req),
        origin: {
          requestId: ctx.state.requestId,
          path: origin,
          keyScope: ctx.state.client?.key ?? '',
          clientAddress: ctx.state.client?.address,
          userAgent: ctx.req.headers['user-agent'],
        },
      })
      options.onLead(origin, outcome)
      // A newly created lead keeps its reservation.
      if (outcome === 'created') giveBack = undefined
      const body = JSON.stringify(outcome === 'duplicate' ? { ...receipt, duplicate: true } : receipt)
      return { ...answers[outcome], body }
    } finally {
      inFlight--
      giveBack?.()
    }
  }

  function takePlace(): () => void {
    const giveBack = options.ceiling.take()
    if (giveBack) return giveBack
    options.onCeiling()
    throw new LeadError(
      'overloaded',
      'All clients together have sent as many leads as the service accepts per minute.',
      {
        retryAfterSeconds: options.ceiling.retryAfterSeconds(),
      },
    )
  }

  function takeDeprecated(ctx: Context, leadPath: LeadPath): Promise<Answer> {
    if (isRemoved(legacy, now())) throw new ProblemError('version_removed')
    return take(ctx, leadPath)
  }

  return leadPaths.map((leadPath) => ({
    path: leadPath.path,
    methods: {
      POST: (ctx) => (leadPath.deprecated ? takeDeprecated(ctx, leadPath) : take(ctx, leadPath)),
      OPTIONS: () => optionsAnswer,
    },
    allow,
    fields: leadPath.deprecated ? [...noStore, ...legacyFields(baseUrl, legacy)] : noStore,
    linksProblems: true,
    decorate: cors,
    admit,
  }))
}

const noStore = headerFields({ 'Cache-Control': 'no-store' })
const optionsAnswer: Answer = { status: 204, fields: ['Allow', allow, 'Accept-Post', acceptedMediaType] }

/**
 * Creates the function that returns a client's refusal. It reuses the error object during a flood of equal refusals.
 */
function createRefusals(): (decision: Decision) => ProblemError {
  let last = ''
  let refusal: ProblemError | undefined
  return ({ limit, windowSeconds, resetSeconds }) => {
    const detail = `The limit of ${limit} submissions in ${windowSeconds} seconds is used up for the next ${resetSeconds} seconds.`
    if (!refusal || last !== detail) {
      last = detail
      refusal = new ProblemError('rate_limited', { detail, retryAfterSeconds: resetSeconds })
    }
    return refusal
  }
}

/** Not 401, because there is nothing to authenticate against. The values are never read. */
function refuseCredentials({ headers }: IncomingMessage): void {
  if (credentialHeaders.some((name) => headers[name] !== undefined)) throw new ProblemError('credentials_not_accepted')
}

/** An overlong key is as invalid as an empty one. */
function idempotencyKeyOf(req: IncomingMessage): string | undefined {
  const field = readHeader(req, 'idempotency-key')
  return field === tooLong ? '' : field
}
