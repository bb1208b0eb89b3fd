import { base64Decode } from '@bufbuild/protobuf/wire'
import { ConnectError, type HandlerContext } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { callKey } from './call.ts'
import { type Callers, identify, roleFor } from './callers.ts'
import { hasProblem, renderError, renderProblem } from './problem-detail.ts'
import { type CallProblem, methodsHint } from './runtime-refusal.ts'

export interface GateOptions {
  /** The public origin: the prefix of a problem's `type`. */
  baseUrl: string
  /** Who may do what. Undefined: any valid certificate allows submitting and reading. */
  callers: Callers | undefined
}

/**
 * Runs for every call before its message is read. Refuses calls that are not allowed, and adds the `Problem` to errors
 * of the Connect runtime, which skip interceptors.
 */
export function createGate({ baseUrl, callers }: GateOptions): (context: HandlerContext) => void {
  return (context) => {
    const { method, signal } = context
    const call = context.values.get(callKey)
    const site = { baseUrl, requestId: call.requestId, input: method.input, message: undefined }

    // The runtime aborts the signal of a call with its error and then renders that same error object.
    function explain(): void {
      const { reason } = signal
      if (!(reason instanceof ConnectError)) return
      if (!hasProblem(reason)) {
        const { code, rawMessage, message, details } = renderError(reason, site)
        Object.assign(reason, { code, rawMessage, message, details })
      }
      call.code ??= codeToString(reason.code)
    }
    signal.addEventListener('abort', explain)
    call.signal = signal

    const { caller, roles } = identify(call.names, callers)
    call.caller = caller
    const refusal = findRefusal(context, roles)
    if (refusal) throw renderProblem(refusal, site)
    // With a deadline of zero, the signal was aborted before the listener was added.
    if (signal.aborted) explain()
  }

  function findRefusal(context: HandlerContext, roles: ReadonlySet<string>): CallProblem | undefined {
    const { isKnown, caller } = context.values.get(callKey)
    if (!isKnown) return { code: 'not_found', detail: 'There is no such method.', hint: methodsHint }
    const role = roleFor(context.method)
    if (role !== undefined && !roles.has(role)) {
      const name = caller === undefined ? 'A caller whose certificate has no name' : `The caller ${caller}`
      return { code: 'permission_denied', detail: `${name} does not have the role ${role}.` }
    }
    if (isReadableQuery(context)) return undefined
    return { code: 'invalid_argument', detail: 'The message in the query is not base64.', hint: 'Correct the query.' }
  }
}

/**
 * Whether the query of a GET request can be decoded. Without this check, the runtime answers with an internal error.
 */
function isReadableQuery({ requestMethod, url }: HandlerContext): boolean {
  const query = requestMethod === 'GET' ? new URL(url).searchParams : undefined
  if (query?.get('base64') !== '1') return true
  try {
    base64Decode(query.get('message') ?? '')
    return true
  } catch {
    return false
  }
}
