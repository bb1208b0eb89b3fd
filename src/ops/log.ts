import pino, { type Logger } from 'pino'
import sonicBoom from 'sonic-boom'
import type { CallerIds } from '../caller-ids.ts'

export type { Logger } from 'pino'

/** How long a shutdown waits for the reader of the log, in milliseconds. */
const flushMaxMs = 1_000

/**
 * Logs structured JSON lines to stdout, or readable text to a terminal. Writes are asynchronous, so that a slow reader
 * does not delay answers. Await `flush` before the process exits, or unwritten lines are lost.
 */
export async function createLog(
  level: string,
): Promise<{ log: Logger; flush(): Promise<void>; linesDropped(): number }> {
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    const stream = pretty({
      colorize: true,
      singleLine: true,
      sync: true,
      messageFormat: formatMessage,
      // These fields are in the message already, or printed in the banner.
      ignore: 'pid,hostname,method,route,status,service,seconds,mode,addresses,baseUrl,limiter',
    })
    return { log: pino({ level, serializers }, stream), flush: async () => {}, linesDropped: () => 0 }
  }
  // A line waits for at most a second. With a reader that is too slow, lines beyond 16 MiB are dropped.
  const destination = new sonicBoom.SonicBoom({ fd: 1, minLength: 16_000, periodicFlush: 1_000, maxLength: 16_777_216 })
  // The service must survive a log reader that disconnects.
  destination.on('error', () => {})
  let dropped = 0
  destination.on('drop', () => {
    dropped++
  })
  const flushOnce = () => new Promise<void>((resolve) => destination.flush(() => resolve()))
  // Pino would flush the destination synchronously after a fatal error, and wait for a stalled reader forever.
  const lines = { write: (line: string) => void destination.write(line) }
  return {
    log: pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers }, lines),
    linesDropped: () => dropped,
    async flush() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, flushMaxMs)
      // A flush during a write waits for that write only, so what came later needs another.
      await Promise.race([flushOnce().then(flushOnce), late])
      clearTimeout(timer)
    },
  }
}

/** On a terminal, the fields that a person looks for first are the message; the rest follows. */
function formatMessage({ msg, method, route, status, service, code, seconds }: Record<string, unknown>): string {
  const took = typeof seconds === 'number' ? ` in ${Math.ceil(seconds * 1_000)} ms` : ''
  if (route !== undefined) return `${method} ${route} ${status}${took}`
  if (service !== undefined) return `${service}/${method} ${code}${took}`
  return String(msg)
}

/** The fields of a request's log line. */
export interface RequestLine extends Partial<CallerIds> {
  requestId: string
  method: string
  route: string
  status: number
  problemCode: string | undefined
  /** Undefined when the request did not arrive completely. */
  seconds?: number
}

/** Logs one line per request. */
export function createRequestLog(log: Logger): (request: RequestLine) => void {
  return (line) => log.info(line, 'request')
}

/**
 * Drivers put row values into `detail`, `parameters` and sometimes the message of an error, so only selected members
 * are logged.
 */
const serializers = { err: describeError }

/** Describes an error without anything that a customer sent: class, code and stack. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, errcode, syscall, transient } = error as unknown as Record<string, unknown>
  const stack = error.stack?.split('\n').filter((frame) => /^\s+at /.test(frame))
  return {
    type: error.name,
    // Messages from the operating system and from the store never contain customers' values.
    ...((syscall !== undefined || error.name === 'StoreError') && { message: error.message }),
    ...(code !== undefined && { code }),
    ...(errcode !== undefined && { errcode }),
    // For an outage, the stack adds nothing to the code.
    ...(syscall === undefined && transient !== true && { stack: stack?.slice(0, 12).map((frame) => frame.trim()) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}
