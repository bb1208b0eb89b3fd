import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { invalid } from '../inbox/parse-fields.ts'
import { LeadError } from '../lead/error.ts'
import type { BusinessNotice } from '../problem/document.ts'
import { inboxFaults } from '../words/inbox.ts'
import { callKey } from './call.ts'
import { renderError } from './problem-detail.ts'

/**
 * Renders every error of a handler, and records in the `Call` how the handler ended. It does not see what Connect
 * itself refuses, such as a message that does not decode.
 */
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
      if (call.impossibleTime) throw invalid(call.impossibleTime, inboxFaults.time)
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
