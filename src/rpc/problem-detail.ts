import { create, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb.ts'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../lead/error.ts'
import { type BusinessNotice, createProblem, type Problem, type ProblemOccurrence } from '../problem/document.ts'
import { problemTable, retryAfterDefaultSeconds } from '../problem/table.ts'
import { situations } from '../words/problems.ts'

/** What an error carries beside its message. */
interface Detail {
  desc: DescMessage
  value: Record<string, unknown>
}

/** Where an error happened, and in which call. */
export interface ErrorContext {
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  business: BusinessNotice | undefined
  /** The call's id, used as the problem's `instance`. */
  requestId: string
  input: DescMessage
  /** The request message. Undefined for a stream of requests. */
  message: Message | undefined
}

/** A problem of one call, plus details that the caller does not see. */
interface CallProblem extends Omit<ProblemOccurrence, 'requestId'> {
  /** The Connect code, if it differs from the one in the problem table. */
  connect?: Code
  cause?: unknown
}

/** The problems of errors with a Connect code that end a handler, such as its deadline. */
const connectProblems: Partial<Record<Code, CallProblem>> = {
  [Code.Canceled]: { code: 'call_canceled' },
  [Code.DeadlineExceeded]: { code: 'deadline_exceeded' },
  [Code.NotFound]: {
    code: 'not_found',
    connect: Code.NotFound,
    detail: situations.no_service,
    hint: situations.ask_reflection,
  },
}

/**
 * Converts what a handler threw to the error that the caller gets. Anything but a `LeadError` or a `ConnectError`
 * becomes `internal_error` and reveals nothing.
 */
export function renderError(reason: unknown, context: ErrorContext): ConnectError {
  if (reason instanceof ConnectError) {
    const problem = connectProblems[reason.code]
    return problem ? renderProblem({ ...problem, cause: reason }, context) : withStatusMessage(reason)
  }
  if (!(reason instanceof LeadError)) return renderProblem({ code: 'internal_error', cause: reason }, context)
  const { code, message: detail, hint, faults, retryAfterSeconds } = reason
  return renderProblem({ code, detail, hint, faults, retryAfterSeconds, cause: reason }, context)
}

/** An error of Connect's own, such as one about an unknown compression. */
function withStatusMessage({ rawMessage, code, metadata, details, cause }: ConnectError): ConnectError {
  const error = new ConnectError(toStatusMessage(rawMessage), code, metadata, undefined, cause)
  error.details = details
  return error
}

/**
 * The most bytes that the details of an error take without their type names: 4 KiB with them. Many gRPC clients refuse
 * more than 8 KiB of trailers, and base64 adds a third.
 */
const detailsMaxBytes = 3_800

/**
 * Renders a problem from the problem table: Connect code, message, request id, and the details `leadintake.v1.Problem`,
 * `google.rpc.BadRequest` for invalid fields and `google.rpc.RetryInfo` when a retry can succeed. If there is no room for
 * every text, the last faults have only their field and code.
 */
function renderProblem({ connect, cause, ...occurrence }: CallProblem, context: ErrorContext): ConnectError {
  const row = problemTable[occurrence.code]
  const retryAfterSeconds = row.retryable ? (occurrence.retryAfterSeconds ?? retryAfterDefaultSeconds) : undefined
  const { baseUrl, requestId, business } = context
  const problem = createProblem(baseUrl, { ...occurrence, requestId, retryAfterSeconds }, 'rpc', business)
  const { detail, errors = [] } = problem
  let explained = errors.length
  let details = toDetails(problem, explained, context)
  while (explained > 0 && sizeOf(details) > detailsMaxBytes) details = toDetails(problem, --explained, context)
  const code = connect ?? codeFromString(row.connect ?? 'internal') ?? Code.Internal
  return new ConnectError(toStatusMessage(detail), code, { 'x-request-id': requestId }, details, cause)
}

/** The details of a problem. Faults from `explained` on have neither texts nor a suggestion. */
function toDetails(problem: Problem, explained: number, context: ErrorContext): Detail[] {
  const { errors = [], retryAfterSeconds } = problem
  const faults = errors.map(({ pointer, code, ...texts }, index) => ({
    pointer,
    code,
    ...(index < explained && texts),
  }))
  const details: Detail[] = [{ desc: ProblemSchema, value: toMessage(problem, faults) }]
  if (faults.length > 0) {
    const fieldViolations = faults.map(({ pointer, code, detail = '' }) => ({
      field: fieldPath(pointer, context),
      description: detail,
      reason: code.toUpperCase(),
    }))
    details.push({ desc: BadRequestSchema, value: { fieldViolations } })
  }
  if (retryAfterSeconds !== undefined) {
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(retryAfterSeconds) } } })
  }
  return details
}

function sizeOf(details: readonly Detail[]): number {
  return details.reduce((bytes, { desc, value }) => bytes + toBinary(desc, create(desc, value)).length, 0)
}

/** The same problem as in REST, without the members that only make sense in HTTP, and with the address of the wording. */
function toMessage({ status, allowedMethods, errors, consent, ...same }: Problem, faults: readonly object[]) {
  return { ...same, errors: faults, consent: consent && { version: consent.version, url: consent.url } }
}

/**
 * A text without the characters that gRPC libraries such as grpc-js do not decode in a status message: `:` arrives as
 * `%3A`. The detail has the whole text.
 */
export function toStatusMessage(text: string): string {
  return text.replace(/[:;,] /g, ' – ').replace(/[:,/?#;&=+@$]/g, ' ')
}

/** The path of a field in the request: `quote_request.phone` for `#/phone`, `origin.client_address` for `#/origin/…`. */
function fieldPath(pointer: string, { input, message }: ErrorContext): string {
  const [name = '', ...inner] = pointer.slice('#/'.length).split('/')
  const own = input.fields.find((field) => field.jsonName === name)
  if (own) return [own.name, ...inner.map((part) => nameIn(own.message, part))].join('.')
  if (input.oneofs.some((oneof) => oneof.name === name)) return name
  const selected = input.oneofs.map((oneof) => message && reflect(input, message).oneofCase(oneof)).find(Boolean)
  const isField = selected?.message?.fields.some((field) => field.jsonName === name)
  return selected && isField ? `${selected.name}.${nameIn(selected.message, name)}` : name
}

function nameIn(message: DescMessage | undefined, jsonName: string): string {
  return message?.fields.find((field) => field.jsonName === jsonName)?.name ?? jsonName
}
