import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { DescMethod } from '@bufbuild/protobuf'
import { readCallerIds } from '../caller-ids.ts'
import type { Call, CallSummary } from './call.ts'

export interface CallReports {
  /** Called once for each call when it has ended, also for unknown paths. */
  onCall: (call: CallSummary) => void
}

/** A call between the arrival of its headers and its end. */
export interface OpenCall {
  readonly call: Call
  /** Reports the call. `answered`: the whole answer was handed to the connection before the stream closed. */
  end(answered: boolean): void
}

/** Opens a call. `method` is undefined for an unknown path; `names` are those in the caller's certificate. */
export type OpenCallFn = (
  headers: IncomingHttpHeaders,
  method: DescMethod | undefined,
  names: readonly string[] | undefined,
) => OpenCall

/** Gives each call its id before anything can refuse it, and reports how it ended. */
export function createOpenCall({ onCall }: CallReports): OpenCallFn {
  return (headers, method, names) => {
    const started = performance.now()
    const call: Call = {
      requestId: randomUUIDv7(),
      names,
      isKnown: method !== undefined,
      caller: names?.[0],
      signal: undefined,
      code: undefined,
    }
    return {
      call,
      end(answered) {
        onCall({
          requestId: call.requestId,
          service: method?.parent.typeName ?? 'unknown',
          method: method?.name ?? 'unknown',
          code: (answered && call.code) || 'canceled',
          seconds: (performance.now() - started) / 1000,
          caller: call.caller,
          ...readCallerIds(headers),
        })
      },
    }
  }
}
