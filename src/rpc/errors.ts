import type { DescMessage, Message } from '@bufbuild/protobuf'
import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { LeadError } from '../lead/error.ts'
import { type Call, callKey } from './call.ts'
import { renderError } from './problem-detail.ts'

export interface ErrorInterceptorOptions {
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  /** Called with every error that callers must not see. Must not log submitted values. */
  onError: (error: unknown, requestId: string) => void
}

/** A call whose handler has thrown. */
export interface FailedCall {
  call: Call
  /** Aborted when the call was given up. Undefined: it cannot be. */
  signal: AbortSignal | undefined
  input: DescMessage
  /** The request message. Undefined for a stream of requests. */
  message: Message | undefined
}

/**
 * Converts every handler error to the format that callers rely on, and records in the `Call` how the handler ended.
 */
export function createErrorRenderer({ baseUrl, onError }: ErrorInterceptorOptions) {
  return (reason: unknown, { call, signal, input, message }: FailedCall): ConnectError => {
    const known = reason instanceof LeadError || reason instanceof ConnectError
    // A handler that stops because its call was canceled has not failed.
    const isGivenUp = !known && signal?.aborted === true && reason === signal.reason
    if (!known && !isGivenUp) onError(reason, call.requestId)
    const site = { baseUrl, requestId: call.requestId, input, message }
    const error = renderError(isGivenUp ? ConnectError.from(reason, Code.Canceled) : reason, site)
    call.code = codeToString(error.code)
    return error
  }
}

/**
 * The one error interceptor, for unary calls and streams. Errors of the Connect runtime itself skip interceptors; the
 * gate handles those.
 */
export function createErrorInterceptor(options: ErrorInterceptorOptions): Interceptor {
  const render = createErrorRenderer(options)

  function refuse(reason: unknown, request: UnaryRequest | StreamRequest, call: Call): ConnectError {
    const { signal, method } = request
    return render(reason, { call, signal, input: method.input, message: request.stream ? undefined : request.message })
  }

  async function* guard<T>(messages: AsyncIterable<T>, request: StreamRequest, call: Call): AsyncIterable<T> {
    try {
      yield* messages
      call.code = 'ok'
    } catch (reason) {
      throw refuse(reason, request, call)
    }
  }

  return (next) => async (request) => {
    const call = request.contextValues.get(callKey)
    try {
      const response = await next(request)
      if (response.stream) return { ...response, message: guard(response.message, request as StreamRequest, call) }
      call.code = 'ok'
      return response
    } catch (reason) {
      throw refuse(reason, request, call)
    }
  }
}
