import { create, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from '@connectrpc/connect'
import { codeFromString, codeToString } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb.ts'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { invalid } from '../inbox/parse-fields.ts'
import { LeadError } from '../lead/error.ts'
import { type BusinessNotice, createProblem, type Problem, type ProblemOccurrence } from '../problem/document.ts'
import { problemTable, retryAfterDefaultSeconds } from '../problem/table.ts'
import { inboxFaults } from '../words/inbox.ts'
import { details, hints } from '../words/problems.ts'
import { callKey } from './request.ts'

interface ErrorContext {
  baseUrl: string
  business?: BusinessNotice | undefined
  requestId: string
  input: DescMessage
  /** Undefined if the requests are a stream. */
  message?: Message | undefined
}

/** The problems for Connect's own errors that end a handler, such as its deadline. */
const connectProblems: Partial<Record<Code, ProblemOccurrence>> = {
  [Code.Canceled]: { code: 'call_canceled' },
  [Code.DeadlineExceeded]: { code: 'deadline_exceeded' },
  [Code.NotFound]: { code: 'not_found', detail: details.no_service, hint: hints.ask_reflection },
}

/** The error that the caller gets. Unless it is a `LeadError` or a `ConnectError`, it reveals nothing of the reason. */
export function renderError(reason: unknown, context: ErrorContext): ConnectError {
  if (reason instanceof ConnectError) {
    const problem = connectProblems[reason.code]
    if (problem) return renderProblem({ ...problem, cause: reason }, context)
    // An error of Connect's own, such as one about an unknown compression.
    const error = new ConnectError(toStatusMessage(reason.rawMessage), reason.code, reason.metadata, [], reason.cause)
    error.details = reason.details
    return error
  }
  if (!(reason instanceof LeadError)) return renderProblem({ code: 'internal_error', cause: reason }, context)
  const { code, message: detail, hint, faults, retryAfterSeconds } = reason
  return renderProblem({ code, detail, hint, faults, retryAfterSeconds, cause: reason }, context)
}

/** In bytes; with type names, 4 KiB. Many gRPC clients refuse more than 8 KiB of trailers, and base64 adds a third. */
const detailsMaxBytes = 3_800

/**
 * Renders a problem with the details `leadintake.v1.Problem`, `google.rpc.BadRequest` for invalid fields and
 * `google.rpc.RetryInfo` if a retry can succeed. If there is no room for all texts, the last faults have none.
 */
function renderProblem({ cause, ...occurrence }: ProblemOccurrence, context: ErrorContext): ConnectError {
  const row = problemTable[occurrence.code]
  const retryAfterSeconds = row.retryable ? (occurrence.retryAfterSeconds ?? retryAfterDefaultSeconds) : undefined
  const { baseUrl, requestId, business } = context
  const problem = createProblem(baseUrl, requestId, { ...occurrence, retryAfterSeconds }, 'rpc', business)
  let explained = problem.errors?.length ?? 0
  let details = toDetails(problem, explained, context)
  const size = () => details.reduce((bytes, { desc, value }) => bytes + toBinary(desc, create(desc, value)).length, 0)
  while (explained > 0 && size() > detailsMaxBytes) details = toDetails(problem, --explained, context)
  const code = codeFromString(row.connect ?? 'internal') ?? Code.Internal
  return new ConnectError(toStatusMessage(problem.detail), code, { 'x-request-id': requestId }, details, cause)
}

/** Omits what only REST has, and the text of the wording. Only the first `explained` faults have texts. */
function toDetails(problem: Problem, explained: number, context: ErrorContext) {
  const { status, allowedMethods, errors: all = [], consent, ...sameMembers } = problem
  const errors = all.map(({ pointer, code, ...texts }, at) => ({ pointer, code, ...(at < explained && texts) }))
  const value = { ...sameMembers, errors, consent: consent && { version: consent.version, url: consent.url } }
  const details: { desc: DescMessage; value: Record<string, unknown> }[] = [{ desc: ProblemSchema, value }]
  if (errors.length > 0) {
    const fieldViolations = errors.map(({ pointer, code, detail = '' }) => ({
      field: fieldPath(pointer, context),
      description: detail,
      reason: code.toUpperCase(),
    }))
    details.push({ desc: BadRequestSchema, value: { fieldViolations } })
  }
  if (problem.retryAfterSeconds !== undefined) {
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(problem.retryAfterSeconds) } } })
  }
  return details
}

/** Replaces what gRPC libraries such as grpc-js do not decode in a status message, where `:` arrives as `%3A`. */
function toStatusMessage(text: string): string {
  return text.replace(/[:;,] /g, ' – ').replace(/[:,/?#;&=+@$]/g, ' ')
}

/** A field's path in the request: `quote_request.phone` for `#/phone`, `origin.client_address` for `#/origin/…`. */
function fieldPath(pointer: string, { input, message }: ErrorContext): string {
  const [name = '', ...inner] = pointer.slice('#/'.length).split('/')
  const field = input.fields.find((field) => field.jsonName === name)
  if (field) return [field.name, ...inner.map((part) => nameIn(field.message, part))].join('.')
  if (input.oneofs.some((oneof) => oneof.name === name)) return name
  const selected = input.oneofs.map((oneof) => message && reflect(input, message).oneofCase(oneof)).find(Boolean)
  const isField = selected?.message?.fields.some((field) => field.jsonName === name)
  return selected && isField ? `${selected.name}.${nameIn(selected.message, name)}` : name
}

function nameIn(message: DescMessage | undefined, jsonName: string): string {
  return message?.fields.find((field) => field.jsonName === jsonName)?.name ?? jsonName
}

function requireRealDay({ contextValues }: UnaryRequest | StreamRequest): void {
  const { impossibleTime } = contextValues.get(callKey)
  if (impossibleTime) throw invalid(impossibleTime, inboxFaults.time)
}

/** Renders every error of a handler. It does not see what Connect itself refuses, such as an undecodable message. */
export function createInterceptor(
  baseUrl: string,
  business: BusinessNotice | undefined,
  onError: (error: unknown, requestId: string) => void,
): Interceptor {
  function toConnectError(reason: unknown, request: UnaryRequest | StreamRequest): ConnectError {
    const { method, signal } = request
    const call = request.contextValues.get(callKey)
    const isKnown = reason instanceof LeadError || reason instanceof ConnectError
    // A handler that stops because its call was canceled has not failed.
    const isGivenUp = !isKnown && signal.aborted && reason === signal.reason
    if (!isKnown && !isGivenUp) onError(reason, call.requestId)
    const message = request.stream ? undefined : request.message
    const context = { baseUrl, business, requestId: call.requestId, input: method.input, message }
    const error = renderError(isGivenUp ? new ConnectError('canceled', Code.Canceled) : reason, context)
    call.code = codeToString(error.code)
    return error
  }

  async function* guard<T>(messages: AsyncIterable<T>, request: UnaryRequest | StreamRequest): AsyncIterable<T> {
    try {
      // Only now has the request of a stream been read.
      requireRealDay(request)
      for await (const message of messages) {
        try {
          yield message
        } catch (cause) {
          // Connect throws here if a write failed because the caller has left.
          throw new ConnectError('canceled', Code.Canceled, undefined, undefined, cause)
        }
      }
      request.contextValues.get(callKey).code = 'ok'
    } catch (reason) {
      throw toConnectError(reason, request)
    }
  }

  return (next) => async (request) => {
    const call = request.contextValues.get(callKey)
    try {
      requireRealDay(request)
      const response = await next(request)
      response.header.set('x-request-id', call.requestId)
      // Answers contain personal data.
      response.header.set('cache-control', 'no-store')
      if (response.stream) return { ...response, message: guard(response.message, request) }
      call.code = 'ok'
      return response
    } catch (reason) {
      throw toConnectError(reason, request)
    }
  }
}
