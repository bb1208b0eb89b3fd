import { Code, type ConnectError } from '@connectrpc/connect'
import type { ProblemOccurrence } from '../problem/document.ts'
import { messageMaxBytes } from './message-size.ts'

/** A problem of one call, plus details that the caller does not see. */
export interface CallProblem extends Omit<ProblemOccurrence, 'requestId'> {
  /** The Connect code, if it differs from the one in the problem table. */
  connect?: Code | undefined
  cause?: unknown
}

/** The runtime's message for a message that it cannot decode: what and where, often followed by the submitted value. */
const decodeFault = /^cannot decode (?:message|field|oneof) (?:leadintake\.v1\.)?([\w.]+) from JSON(?:: (.*))?$/s

/** The decode errors that never quote a submitted value. */
const plainReason =
  /^(?:key "[^"]{1,100}" is unknown|duplicate object key "[^"]{1,100}"|oneof set multiple times by \w+ and \w+|Unexpected end of JSON input|expected [a-z ]+(?=, got))/

/**
 * Maps an error of the Connect runtime, or one that a handler threw with the same codes, to the problem table. The
 * result never contains submitted values, although the runtime's own message may.
 */
export function readRefusal({ code, rawMessage, cause }: ConnectError): CallProblem {
  return { cause, connect: code, ...describe(code, rawMessage) }
}

function describe(code: Code, message: string): CallProblem {
  switch (code) {
    case Code.ResourceExhausted:
      return {
        code: 'body_too_large',
        detail: `The message is larger than ${messageMaxBytes.toLocaleString('en-US')} bytes.`,
        hint: 'Shorten the message. A lead that is valid by its fields is always smaller.',
      }
    case Code.InvalidArgument:
      return {
        code: 'invalid_argument',
        hint: 'Correct the request, then send it again.',
        detail: describeFault(message),
      }
    case Code.Unimplemented:
      return describeUnimplemented(message)
    case Code.NotFound:
      return { code: 'not_found', detail: `Not found: ${message}.`, hint: methodsHint }
    case Code.PermissionDenied:
      return { code: 'permission_denied' }
    case Code.DeadlineExceeded:
      if (message !== 'incomplete request') return { code: 'deadline_exceeded' }
      return {
        code: 'deadline_exceeded',
        detail: 'The request has not arrived completely in time. Nothing was done.',
        hint: 'Send the whole message and the end of the request (END_STREAM) at once.',
      }
    case Code.Canceled:
      return { code: 'call_canceled' }
    case Code.Unavailable:
      return { code: 'inbox_unavailable' }
    default:
      // The runtime reports these as internal errors, but it is the sender who must correct them.
      if (/^(?:parse binary|decompression failed|received compressed)/.test(message))
        return { ...describe(Code.InvalidArgument, message), connect: Code.InvalidArgument }
      return { code: 'internal_error' }
  }
}

/** The hint for an unknown method. */
export const methodsHint =
  'Ask server reflection for the services and their methods, for example with `buf curl --list-methods`.'

function describeUnimplemented(message: string): CallProblem {
  if (message.startsWith('unknown compression')) {
    return {
      code: 'unsupported_content_encoding',
      detail: 'The message uses a compression that this service does not support.',
      hint: 'Send the message uncompressed or with gzip.',
    }
  }
  if (message.startsWith('protocol error')) {
    return { code: 'bad_request', detail: `${sentence(message)}`, hint: 'Send exactly one message.' }
  }
  return { code: 'not_found', detail: 'There is no such method.', hint: methodsHint }
}

function describeFault(message: string): string {
  const [matched, place, reason = ''] = decodeFault.exec(message) ?? []
  if (matched !== undefined) {
    const plain = plainReason.exec(reason)?.[0] ?? 'it does not match its type in the proto file'
    return `${place} cannot be read from JSON: ${plain}.`
  }
  if (message.startsWith('parse binary')) return 'The bytes do not decode as the request message of this method.'
  if (message.startsWith('decompression')) return 'The message cannot be decompressed with the encoding in its headers.'
  if (message.startsWith('received compressed'))
    return 'The message is marked as compressed, but the headers name no compression.'
  if (/timeout value/.test(message)) return 'The deadline is not valid in this protocol.'
  return 'The request violates the protocol.'
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
