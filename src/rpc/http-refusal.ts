import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { createProblemRenderer, type ProblemOccurrence, problemMediaType } from '../problem/document.ts'
import type { Call } from './call.ts'

/** Answers requests that use no RPC protocol. They get a problem document, like on the public listener. */
export interface Refusals {
  browser(call: Call, detail: string): UniversalServerResponse
  unknownPath(call: Call): UniversalServerResponse
  /** Adds a problem body to a bare status of the runtime, and records in the call how it ended. */
  explain(call: Call, answer: UniversalServerResponse, handler: UniversalHandler | undefined): UniversalServerResponse
}

export function createRefusals(baseUrl: string): Refusals {
  const render = createProblemRenderer(baseUrl)

  function refuse(
    call: Call,
    status: number,
    problem: Omit<ProblemOccurrence, 'requestId'>,
    fields: Record<string, string> = {},
  ): UniversalServerResponse {
    const bytes = new TextEncoder().encode(render({ ...problem, requestId: call.requestId }))
    const header = new Headers({
      ...fields,
      'content-type': problemMediaType,
      'content-length': `${bytes.length}`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    call.code ??= refusalCodes[status] ?? 'invalid_argument'
    return { status, header, body: once(bytes) }
  }

  return {
    browser: (call, detail) => refuse(call, 403, { code: 'browser_refused', detail }),
    unknownPath: (call) =>
      refuse(call, 404, {
        code: 'not_found',
        detail: 'There is no such method.',
        hint: 'Call a method of leadintake.v1 by Connect, gRPC or gRPC-Web. The public API is on another port.',
      }),
    explain(call, answer, handler) {
      const grpcStatus = answer.trailer?.get('grpc-status')
      if (grpcStatus && grpcStatus !== '0') call.code ??= codeToString(Number(grpcStatus))
      // Connect maps `unimplemented` to 501. For an unknown path, 404 is clearer to every other client.
      if (!call.isKnown && answer.status === 501) return { ...answer, status: 404 }
      if (answer.body !== undefined) return answer
      if (answer.status === 405 && handler) {
        const allowedMethods = handler.allowedMethods
        const hint = `Use ${allowedMethods.join(' or ')}.`
        return refuse(
          call,
          405,
          { code: 'method_not_allowed', allowedMethods, hint },
          { allow: allowedMethods.join(', ') },
        )
      }
      if (answer.status === 415) {
        const detail = 'The content type is not one of Connect, gRPC or gRPC-Web for this method.'
        const hint = 'Send application/json, application/proto, application/grpc or application/grpc-web+proto.'
        return refuse(call, 415, { code: 'unsupported_media_type', detail, hint })
      }
      call.code ??= refusalCodes[answer.status] ?? 'invalid_argument'
      return answer
    },
  }
}

/** The problem code of each HTTP status. Any other status means a malformed request. */
const refusalCodes: Record<number, string> = { 403: 'permission_denied', 404: 'unimplemented' }

async function* once(bytes: Uint8Array<ArrayBuffer>) {
  yield bytes
}
