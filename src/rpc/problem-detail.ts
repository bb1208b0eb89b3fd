import type { DescMessage, Message } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb.ts'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../lead/error.ts'
import { problemType } from '../problem/document.ts'
import { type ProblemCode, type ProblemRow, problemTable, type RpcOnlyCode } from '../problem/table.ts'

type RpcProblemCode = ProblemCode | RpcOnlyCode
type RpcProblemRow = Pick<ProblemRow, 'connect' | 'retryable' | 'title' | 'hint'>

/** What only RPC callers meet, or meet otherwise than the callers of the public API: a lead that is not there. */
const rpcProblems = {
  invalid_argument: {
    connect: 'invalid_argument',
    retryable: false,
    title: 'The request has invalid fields',
    hint: 'Correct every entry of errors, then send the request again.',
  },
  not_found: {
    connect: 'not_found',
    retryable: false,
    title: 'There is no such lead',
    hint: 'Check the id against the receipt or against ListLeads.',
  },
  inbox_unavailable: {
    connect: 'unavailable',
    retryable: true,
    title: 'The leads cannot be read right now',
    hint: 'Call again after the delay of RetryInfo; give WatchLeads the cursor of the last lead that you handled.',
  },
} as const satisfies Partial<Record<RpcProblemCode, RpcProblemRow>>

const rows: Record<RpcProblemCode, RpcProblemRow> = { ...problemTable, ...rpcProblems }

/** When to try again where the error itself does not say; in seconds. */
const retryDelayDefaultSeconds = 1

type OutgoingDetails = NonNullable<ConstructorParameters<typeof ConnectError>[3]>

/** Where and for which call an error happened. */
export interface ErrorSite {
  /** The public origin, which the problem's `type` begins with. */
  baseUrl: string
  /** The call's id: becomes `instance`. */
  requestId: string
  input: DescMessage
  /** The request message; undefined where it is a stream. */
  message: Message | undefined
}

/**
 * Renders what a handler threw as the error that the caller gets, by the one problem table: Connect code, message, and the
 * details `leadintake.v1.Problem`, `google.rpc.BadRequest` for fields at fault and `google.rpc.RetryInfo` where the same
 * request can succeed later. Anything that is not a `LeadError` becomes `internal_error` and shows nothing of itself.
 */
export function renderError(reason: unknown, site: ErrorSite): ConnectError {
  const known = reason instanceof LeadError
  const code = known ? reason.code : 'internal_error'
  const detail = known ? reason.message : problemTable.internal_error.detail
  const faults = known ? reason.faults : []
  const row = rows[code]
  const details: OutgoingDetails = [
    {
      desc: ProblemSchema,
      value: {
        code,
        hint: row.hint,
        retryable: row.retryable,
        errors: faults.map(({ pointer, code, detail, hint }) => ({ pointer, code, detail, hint })),
        // The public pages have nothing to say of what only RPC callers meet.
        type: Object.hasOwn(rpcProblems, code) ? '' : problemType(site.baseUrl, code),
        title: row.title,
        detail,
        instance: `urn:uuid:${site.requestId}`,
      },
    },
  ]
  if (faults.length > 0) {
    const fieldViolations = faults.map((fault) => ({
      field: fieldPath(fault.pointer, site),
      description: fault.detail,
      reason: fault.code.toUpperCase(),
    }))
    details.push({ desc: BadRequestSchema, value: { fieldViolations } })
  }
  if (row.retryable) {
    const seconds = (known ? reason.retryAfterSeconds : undefined) ?? retryDelayDefaultSeconds
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(seconds) } } })
  }
  const connectCode = codeFromString(row.connect ?? 'internal') ?? Code.Internal
  return new ConnectError(detail, connectCode, undefined, details, reason)
}

/** The path of a field in the request message, such as `quote_request.phone` for `#/phone` of a quote request. */
function fieldPath(pointer: string, { input, message }: ErrorSite): string {
  const name = pointer.slice('#/'.length)
  const own = input.fields.find((field) => field.jsonName === name) ?? input.oneofs.find((oneof) => oneof.name === name)
  if (own) return own.name
  const selected = input.oneofs.map((oneof) => message && reflect(input, message).oneofCase(oneof)).find(Boolean)
  const inner = selected?.message?.fields.find((field) => field.jsonName === name)
  return selected && inner ? `${selected.name}.${inner.name}` : name
}
