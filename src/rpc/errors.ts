import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { LeadError } from '../lead/error.ts'
import { type Call, callKey } from './call.ts'
import { renderError } from './problem-detail.ts'

export interface ErrorInterceptorOptions {
  /** The public origin, which the problem's `type` begins with. */
  baseUrl: string
  /** Gets every error that no caller may see. It must not log values of a submission. */
  onError: (error: unknown, requestId: string) => void
}

/**
 * The one interceptor: gives every error of every handler, streams too, the form that callers rely on, and notes in the
 * `Call` how the handler ended. What the Connect runtime itself refuses never gets here: the gate sees to that.
 */
export function createErrorInterceptor({ baseUrl, onError }: ErrorInterceptorOptions): Interceptor {
  function refuse(reason: unknown, request: UnaryRequest | StreamRequest, call: Call): ConnectError {
    const known = reason instanceof LeadError || reason instanceof ConnectError
    // A handler that stops because its call was given up has not failed.
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
