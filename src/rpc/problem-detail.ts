import type { DescMessage, Message, MessageInitShape } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb.ts'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../lead/error.ts'
import { type BusinessNotice, createProblem, type Problem, type ProblemOccurrence } from '../problem/document.ts'
import { problemTable, retryAfterDefaultSeconds } from '../problem/table.ts'

type OutgoingDetails = NonNullable<ConstructorParameters<typeof ConnectError>[3]>

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
    detail: 'There is no such service.',
    hint: 'Ask server reflection for the services and their methods, for example with `buf curl --list-methods`.',
  },
}

/**
 * Converts what a handler threw to the error that the caller gets. Anything but a `LeadError` or a `ConnectError`
 * becomes `internal_error` and reveals nothing.
 */
export function renderError(reason: unknown, context: ErrorContext): ConnectError {
  if (reason instanceof ConnectError) {
    const problem = connectProblems[reason.code]
    return problem ? renderProblem({ ...problem, cause: reason }, context) : reason
  }
  if (!(reason instanceof LeadError)) return renderProblem({ code: 'internal_error', cause: reason }, context)
  const { code, message: detail, hint, faults, retryAfterSeconds } = reason
  return renderProblem({ code, detail, hint, faults, retryAfterSeconds, cause: reason }, context)
}

/**
 * Renders a problem from the problem table: Connect code, message, request id, and the details `leadintake.v1.Problem`,
 * `google.rpc.BadRequest` for invalid fields and `google.rpc.RetryInfo` when a retry can succeed.
 */
function renderProblem({ connect, cause, ...occurrence }: CallProblem, context: ErrorContext): ConnectError {
  const row = problemTable[occurrence.code]
  const retryAfterSeconds = row.retryable ? (occurrence.retryAfterSeconds ?? retryAfterDefaultSeconds) : undefined
  const { baseUrl, requestId, business } = context
  const problem = createProblem(baseUrl, { ...occurrence, requestId, retryAfterSeconds }, business)
  const { detail, errors: faults = [] } = problem
  const details: OutgoingDetails = [{ desc: ProblemSchema, value: toMessage(problem) }]
  if (faults.length > 0) {
    const fieldViolations = faults.map((fault) => ({
      field: fieldPath(fault.pointer, context),
      description: fault.detail,
      reason: fault.code.toUpperCase(),
    }))
    details.push({ desc: BadRequestSchema, value: { fieldViolations } })
  }
  if (retryAfterSeconds !== undefined) {
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(retryAfterSeconds) } } })
  }
  const code = connect ?? codeFromString(row.connect ?? 'internal') ?? Code.Internal
  return new ConnectError(detail, code, { 'x-request-id': requestId }, details, cause)
}

/** The same problem as in REST, without the members that only make sense in HTTP. */
function toMessage({ status, allowedMethods, errors, ...same }: Problem): MessageInitShape<typeof ProblemSchema> {
  return { ...same, errors: errors?.map((fault) => ({ ...fault })) }
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
