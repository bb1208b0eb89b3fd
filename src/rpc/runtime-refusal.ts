import { Code, type ConnectError } from '@connectrpc/connect'
import type { ProblemOccurrence } from '../problem/document.ts'
import { messageMaxBytes } from './message-size.ts'

/** A problem that happened to a call, and what is not for the caller's eyes. */
export interface CallProblem extends Omit<ProblemOccurrence, 'requestId'> {
  /** The Connect code, where it is not that of the problem table. */
  connect?: Code | undefined
  cause?: unknown
}

/** What the Connect runtime says of a message that it cannot decode: what and where, and then often the value itself. */
const decodeFault = /^cannot decode (?:message|field|oneof) (?:leadintake\.v1\.)?([\w.]+) from JSON(?:: (.*))?$/s

/** The reasons that hold no value that was sent. */
const plainReason =
  /^(?:key "[^"]{1,100}" is unknown|duplicate object key "[^"]{1,100}"|oneof set multiple times by \w+ and \w+|Unexpected end of JSON input|expected [a-z ]+(?=, got))/

/**
 * Reads an error of the Connect runtime, or one that a handler threw in its words, as a problem of the one table. The
 * problem says nothing of the values that were sent, which the runtime's own words may repeat.
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
      return { code: 'not_found', detail: `There is no such thing here: ${message}.`, hint: methodsHint }
    case Code.PermissionDenied:
      return { code: 'permission_denied' }
    case Code.DeadlineExceeded:
      return { code: 'deadline_exceeded' }
    case Code.Canceled:
      return { code: 'call_canceled' }
    case Code.Unavailable:
      return { code: 'inbox_unavailable' }
    default:
      // The runtime calls a message that it cannot parse an internal error, though its sender has to correct it.
      if (message.startsWith('parse binary'))
        return { ...describe(Code.InvalidArgument, message), connect: Code.InvalidArgument }
      return { code: 'internal_error' }
  }
}

/** What to do about a method that is not there. */
export const methodsHint =
  'Ask server reflection for the services and their methods, for example with `buf curl --list-methods`.'

function describeUnimplemented(message: string): CallProblem {
  if (message.startsWith('unknown compression')) {
    return {
      code: 'unsupported_content_encoding',
      detail: 'The message is compressed in a way that this service does not know.',
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
    const plain = plainReason.exec(reason)?.[0] ?? 'not of the form that the proto file gives it'
    return `${place} cannot be read from JSON: ${plain}.`
  }
  if (message.startsWith('parse binary')) return 'The bytes are not a message of the type that the method takes.'
  if (message.startsWith('decompression')) return 'The message is not compressed as its headers say.'
  if (/timeout value/.test(message)) return 'The deadline is not one that the protocol knows.'
  return 'The request is not one that the protocol allows.'
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
