import type { HandlerContext } from '@connectrpc/connect'

/** The longest timer that Node supports, in milliseconds. A longer one would fire at once. */
export const timeoutMaxMs = 2 ** 31 - 1

const unitsMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 }

/** Returns the header value, with a timeout that is too long for a timer reduced to the longest one possible. */
export function capTimeout(name: string, value: string): string {
  if (name === 'connect-timeout-ms')
    return /^\d+$/.test(value) && Number(value) > timeoutMaxMs ? `${timeoutMaxMs}` : value
  if (name !== 'grpc-timeout') return value
  const [, digits, unit = ''] = /^(\d+)([HMSmun])$/.exec(value) ?? []
  const isTooLong = digits !== undefined && Number(digits) * (unitsMs[unit] ?? 0) > timeoutMaxMs
  return isTooLong ? `${Math.floor(timeoutMaxMs / 1_000)}S` : value
}

/** The signal that is aborted at the caller's deadline. Undefined: the caller set none. */
export function deadlineOf({ timeoutMs, signal }: HandlerContext): AbortSignal | undefined {
  return timeoutMs() === undefined ? undefined : signal
}

/**
 * Waits for work, but only until the caller's deadline (`grpc-timeout`, `connect-timeout-ms`), then rejects with
 * `deadline_exceeded`. The work itself continues, so that nothing is left half done; the caller does not learn its
 * outcome. Calls without a deadline have no extra cost.
 */
export async function withinDeadline<T>(deadline: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (deadline === undefined) return work
  const expired = new Promise<never>((_, reject) => {
    if (deadline.aborted) reject(deadline.reason)
    else deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
  })
  return Promise.race([work, expired])
}
