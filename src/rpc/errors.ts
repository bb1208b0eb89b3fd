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
 * `Call` how the handler ended. What the Connect runtime itself refuses keeps its own form (contract §8).
 */
export function createErrorInterceptor({ baseUrl, onError }: ErrorInterceptorOptions): Interceptor {
  function refuse(reason: unknown, request: UnaryRequest | StreamRequest, call: Call): ConnectError {
    const error = toConnectError(reason, request, call)
    call.code = codeToString(error.code)
    return error
  }

  function toConnectError(reason: unknown, request: UnaryRequest | StreamRequest, { requestId }: Call): ConnectError {
    if (reason instanceof ConnectError) return reason
    // A handler that stops because its call was given up has not failed.
    if (request.signal.aborted && reason === request.signal.reason) return ConnectError.from(reason, Code.Canceled)
    if (!(reason instanceof LeadError)) onError(reason, requestId)
    const message = request.stream ? undefined : request.message
    return renderError(reason, { baseUrl, requestId, input: request.method.input, message })
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
