import type { HandlerContext } from '@connectrpc/connect'

/**
 * Waits for work, but not beyond the caller's deadline (`grpc-timeout`, `connect-timeout-ms`): then it rejects with
 * `deadline_exceeded`. The work itself goes on, so that nothing is left half done; its outcome is unknown to the caller.
 * Calls without a deadline cost nothing.
 */
export async function withinDeadline<T>(context: HandlerContext, work: Promise<T>): Promise<T> {
  if (context.timeoutMs() === undefined) return work
  const { signal } = context
  const expired = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, expired])
}
