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

/**
 * The one error interceptor, for unary calls and streams: converts every handler error to the format that callers rely
 * on, and records in the `Call` how the handler ended. Errors of the Connect runtime itself skip interceptors; the gate
 * handles those.
 */
export function createErrorInterceptor({ baseUrl, onError }: ErrorInterceptorOptions): Interceptor {
  function refuse(reason: unknown, request: UnaryRequest | StreamRequest, call: Call): ConnectError {
    const known = reason instanceof LeadError || reason instanceof ConnectError
    // A handler that stops because its call was canceled has not failed.
    const isGivenUp = !known && request.signal.aborted && reason === request.signal.reason
    if (!known && !isGivenUp) onError(reason, call.requestId)
    const message = request.stream ? undefined : request.message
    const site = { baseUrl, requestId: call.requestId, input: request.method.input, message }
    const error = renderError(isGivenUp ? ConnectError.from(reason, Code.Canceled) : reason, site)
    call.code = codeToString(error.code)
    return error
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
