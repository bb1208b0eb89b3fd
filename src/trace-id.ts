import type { IncomingHttpHeaders } from 'node:http'

/** From `traceparent` (W3C Trace Context §3.2.2.3): 32 hexadecimal digits that connect our log to the caller's. */
export function readTraceId({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' ? /^[\da-f]{2}-(?!0{32})([\da-f]{32})-/.exec(traceparent)?.[1] : undefined
}
