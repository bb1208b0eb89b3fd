import type { HandlerContext, Interceptor, StreamRequest, UnaryRequest } from '@connectrpc/connect'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import type { Callers } from '../config/callers.ts'
import { LeadError } from '../lead/error.ts'
import type { BusinessNotice } from '../problem/document.ts'
import { type Call, callKey } from './call.ts'
import { identifyCaller, roleFor } from './callers.ts'
import { renderError } from './problem-detail.ts'

export interface InterceptorOptions {
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  business: BusinessNotice | undefined
  /** Who may do what. Undefined: any valid certificate allows submitting and reading. */
  callers: Callers | undefined
  /** Called with every error that callers must not see. Must not log submitted values. */
  onError: (error: unknown, requestId: string) => void
}

/** Refuses calls that their caller may not make, before their message is read. */
export function createGate({ baseUrl, callers }: InterceptorOptions): (context: HandlerContext) => void {
  return ({ method, values }) => {
    const call = values.get(callKey)
    const { caller, roles } = identifyCaller(call.names, callers)
    call.caller = caller
    const role = roleFor(method)
    if (role === undefined || roles.has(role)) return
    const name = caller === undefined ? 'A caller whose certificate has no name' : `The caller ${caller}`
    const refusal = new LeadError('permission_denied', `${name} does not have the role ${role}.`)
    call.code = 'permission_denied'
    const context = { baseUrl, business: undefined, requestId: call.requestId, input: method.input, message: undefined }
    throw renderError(refusal, context)
  }
}

/**
 * Converts every error of a handler to the form that callers rely on, and records in the `Call` how the handler ended.
 * What Connect itself refuses, such as a message that does not decode, does not come here.
 */
export function createInterceptor({ baseUrl, business, onError }: InterceptorOptions): Interceptor {
  function toConnectError(reason: unknown, request: UnaryRequest | StreamRequest, call: Call): ConnectError {
    const { method, signal } = request
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

  async function* guard<T>(messages: AsyncIterable<T>, request: StreamRequest, call: Call): AsyncIterable<T> {
    try {
      yield* messages
      call.code = 'ok'
    } catch (reason) {
      throw toConnectError(reason, request, call)
    }
  }

  return (next) => async (request) => {
    const call = request.contextValues.get(callKey)
    try {
      const response = await next(request)
      response.header.set('x-request-id', call.requestId)
      if (response.stream) return { ...response, message: guard(response.message, request as StreamRequest, call) }
      call.code = 'ok'
      return response
    } catch (reason) {
      throw toConnectError(reason, request, call)
    }
  }
}
