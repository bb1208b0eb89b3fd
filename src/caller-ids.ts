import type { IncomingHttpHeaders } from 'node:http'

/** The ids by which a caller knows its own request. They connect our log to the caller's. */
export interface CallerIds {
  /** From `X-Request-Id`. A text without a letter is ignored, because it may be a phone number. */
  callerRequestId: string | undefined
  /** 32 hexadecimal digits from `traceparent` (W3C Trace Context §3.2.2.3). */
  traceId: string | undefined
}

export function readCallerIds(headers: IncomingHttpHeaders): CallerIds {
  const { 'x-request-id': requestId, traceparent } = headers as Record<string, unknown>
  return {
    callerRequestId:
      typeof requestId === 'string' && /^(?=.*[a-z])[\w.-]{1,64}$/i.test(requestId) ? requestId : undefined,
    traceId: typeof traceparent === 'string' ? /^[\da-f]{2}-(?!0{32})([\da-f]{32})-/.exec(traceparent)?.[1] : undefined,
  }
}
