import type { IncomingMessage } from 'node:http'
import { textOf } from '../lead/advice/member-names.ts'
import type { Candidate } from '../lead/submission.ts'
import type { Submit } from '../lead/submit.ts'
import type { Limiter } from '../limit/limiter.ts'
import type { Decision, Policy } from '../limit/policy.ts'
import { type createClientReader, headerOf } from '../net/client.ts'
import { leadPaths, leadsPath } from '../public-paths.ts'
import { fillWords } from '../template.ts'
import { details, hints } from '../words/problems.ts'
import { acceptedMediaType, readBody, requireJson } from './body.ts'
import type { createCors } from './cors.ts'
import { parseJsonObject } from './json.ts'
import { Refusal } from './problems.ts'
import { requireTarget } from './request-target.ts'
import { type Context, type Handler, type HeaderFields, type Route, setFields } from './routes.ts'

interface LeadRouteOptions {
  submit: Submit
  limiter: Limiter
  policy: Policy
  readClient: ReturnType<typeof createClientReader>
  cors: ReturnType<typeof createCors>
  /** Since when `/api/leads` is deprecated, and when it is removed. */
  legacy: { deprecatedAt: Date; removal: { at: Date } | undefined }
  baseUrl: string
  now: () => number
  /** How much memory the submissions in progress may hold, in bytes. */
  inProgressMax: number
}

/** About how much memory a submission holds, in bytes: its body as bytes, text, values, a row and a statement. */
const bytesHeldFor = (body: Buffer) => 3_072 + 5 * body.length

const dryRunNames = '(?:is[_-]?)?(?:dry[_-]?run|test(?:[_-]?mode|ing)?|validate(?:[_-]?only)?|preview|sandbox)'
/** A part of a query of a caller who means to store nothing, such as `dryRun=true`, or a header or member in that form. */
const dryRun = new RegExp(`^(?:x-)?(?:mode=|env(?:ironment)?=)?${dryRunNames}(?:=(?!(?:false|0|no|off)$)|$)`, 'i')
const isDryRun = (part: string) => dryRun.test(part)
const refuseDryRun = () => new Refusal('bad_request', { detail: details.dry_run, hint: hints.send_real })

const receiptFields = {
  'Content-Type': `${acceptedMediaType}; charset=utf-8`,
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The lead paths, which run the same checks in one order (docs/specification.md §3) and share a client's limit. */
export function createLeadRoutes(options: LeadRouteOptions): Route[] {
  const { limiter, cors, legacy, baseUrl, now } = options
  let inProgress = 0

  async function handle(ctx: Context, { submissionPath, deprecated }: (typeof leadPaths)[number]): Promise<void> {
    const { req, state } = ctx
    const client = options.readClient(req)
    if (inProgress >= options.inProgressMax) {
      // Not counted, because asking Redis would be most of the work. The caller is to wait a second.
      setFields(ctx, rateFields({ ...options.policy, remaining: 0, resetSeconds: 1 }))
      throw new Refusal('overloaded', { retryAfterSeconds: 1 })
    }
    const deciding = limiter.consume(client.key)
    // The body arrives meanwhile, but its faults are reported only after those of the checks below.
    const reading = readBody(req)
    reading.catch(() => {})
    const decision = await deciding
    setFields(ctx, rateFields(decision))
    if (!decision.allowed) throw rateLimited(decision)
    requireTarget(req, state.path)
    if (deprecated && legacy.removal && now() >= legacy.removal.at.getTime()) throw new Refusal('version_removed')
    refuseByHead(req)
    requireJson(ctx)
    const body = await reading
    // Other bodies may have arrived meanwhile.
    if (inProgress >= options.inProgressMax) throw new Refusal('overloaded', { retryAfterSeconds: 1 })
    const held = bytesHeldFor(body)
    inProgress += held
    let candidate: Candidate = {}
    try {
      candidate = parseJsonObject(body)
      const result = await options.submit({
        candidate,
        idempotencyKey: headerOf(req, 'idempotency-key'),
        origin: {
          requestId: state.requestId,
          submissionPath,
          keyScope: client.key,
          clientAddress: client.address,
          userAgent: req.headers['user-agent'],
          consentVersion: headerOf(req, 'consent-version'),
        },
      })
      answerReceipt(ctx, result)
    } catch (error) {
      // Such a member is not a field, so a lead that has one is never stored.
      throw Object.entries(candidate).some(([name, value]) => isDryRun(`${name}=${textOf(value)}`))
        ? refuseDryRun()
        : error
    } finally {
      inProgress -= held
    }
  }

  return leadPaths.map((leadPath) => ({
    path: leadPath.path,
    methods: { POST: (ctx) => handle(ctx, leadPath), OPTIONS: answerOptions },
    fields: { 'Cache-Control': 'no-store', ...(leadPath.deprecated && legacyFields(baseUrl, legacy)) },
    takesLeads: true,
    cors,
  }))
}

/** Refuses credentials, and a dry run that is asked for before the body. */
function refuseByHead({ headers, url = '' }: IncomingMessage): void {
  // Not 401, because there is nothing to authenticate against. The values are never read.
  if (['authorization', 'proxy-authorization', 'x-api-key'].some((name) => headers[name] !== undefined))
    throw new Refusal('credentials_not_accepted')
  // Not `X-Forwarded-…`, which every request has.
  const asked = Object.keys(headers).some(
    (name) => /^(?:x-(?!f)|dry)/.test(name) && isDryRun(`${name}=${headers[name]}`),
  )
  if (asked || url.split(/[?&]/).some(isDryRun)) throw refuseDryRun()
}

function answerReceipt(ctx: Context, { outcome, receipt, stored }: Awaited<ReturnType<Submit>>): void {
  ctx.state.stored = stored
  ctx.status = outcome === 'duplicate' ? 200 : 201
  setFields(ctx, receiptFields)
  if (outcome === 'replayed') ctx.set('Idempotency-Replayed', 'true')
  ctx.body = JSON.stringify(outcome === 'duplicate' ? { ...receipt, duplicate: true } : receipt)
}

/** Returns the refusal, because throwing it here costs more (docs/decisions/measurements.md, What V8 runs faster). */
function rateLimited({ limit, windowSeconds, resetSeconds }: Decision): Refusal {
  const detail = fillWords(details.limit, { limit, windowSeconds, resetSeconds })
  return new Refusal('rate_limited', { detail, retryAfterSeconds: resetSeconds })
}

const answerOptions: Handler = (ctx) => {
  ctx.status = 204
  ctx.set({ Allow: 'POST, OPTIONS', 'Accept-Post': acceptedMediaType })
}

/** A decision as the four header fields of draft-ietf-httpapi-ratelimit-headers-06 (§3.1–3.4). */
function rateFields({ limit, remaining, resetSeconds, windowSeconds }: Omit<Decision, 'allowed'>): HeaderFields {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `${limit};w=${windowSeconds}`,
  }
}

/** The fields of all answers on the deprecated path (RFC 9745 §2.1), with `Sunset` once it has a date (RFC 8594 §3). */
function legacyFields(baseUrl: string, { deprecatedAt, removal }: LeadRouteOptions['legacy']): HeaderFields {
  const policy = `<${baseUrl}/api-docs#deprecation>`
  const links = [`<${baseUrl}${leadsPath}>; rel="successor-version"`, `${policy}; rel="deprecation"; type="text/html"`]
  if (removal) links.push(`${policy}; rel="sunset"; type="text/html"`)
  return {
    Deprecation: `@${Math.floor(deprecatedAt.getTime() / 1000)}`,
    Link: links.join(', '),
    ...(removal && { Sunset: removal.at.toUTCString() }),
  }
}
