import pino, { type Logger } from 'pino'
import { createTimestampFormat } from '../timestamp.ts'
import { createChildren } from './children.ts'
import { atSource } from './source-position.ts'
import type { RequestFacts } from './spans.ts'

export type { Logger } from 'pino'

/** How long the end of the process waits for a reader of its log. */
const flushMaxMs = 1_000

/**
 * Structured JSON lines on stdout; human-readable on a terminal. Lines are written asynchronously, so that a slow reader
 * does not hold up an answer. Wait for `flush` before the process exits: what is not yet written is lost then.
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
      ignore: 'pid,hostname,method,route,status,service,seconds',
    })
    return { log: pino({ level, serializers }, stream), flush: async () => {}, linesDropped: () => 0 }
  }
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: 16_000,
    maxLength: 16_777_216,
    periodicFlush: 1_000,
  })
  // A reader that went away must not end the service.
  destination.on('error', () => {})
  // Written in this thread, lines for a reader that went away would be tried again for ever, and the process would never end.
  destination.flushSync = () => {}
  const log = pino({ level, base: undefined, timestamp: createTimestamp(), serializers }, destination)
  // A reader that is too slow loses lines rather than stall the service, and is told how many once it reads again.
  let dropped = 0
  let told = 0
  destination.on('drop', () => dropped++)
  destination.on('drain', () => {
    if (dropped === told) return
    const count = dropped - told
    told = dropped
    log.warn({ count }, 'log lines dropped')
  })
  return {
    log,
    linesDropped: () => dropped,
    flush: () =>
      new Promise((resolve) => {
        // A reader may have stopped reading, and an error means that it is gone: there is nobody to tell then.
        const timer = setTimeout(resolve, flushMaxMs)
        destination.flush(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}

/** On a terminal, the message of a request or a call is what a person looks for first. The rest stands behind it. */
function formatMessage({ msg, method, route, status, service, code, seconds }: Record<string, unknown>): string {
  const took = typeof seconds === 'number' ? ` in ${Math.ceil(seconds * 1_000)} ms` : ''
  if (route !== undefined) return `${method} ${route} ${status}${took}`
  if (service !== undefined) return `${service}/${method} ${code}${took}`
  return String(msg)
}

/** What a request's line tells. */
export interface RequestLine extends RequestFacts {
  /** Undefined where the request never arrived as a whole. */
  seconds?: number
  traceId: string | undefined
}

/** Writes a line for each request. What many of them share is put together once, as a child of the log. */
export function createRequestLog(log: Logger): (request: RequestLine) => void {
  const childOf = createChildren((method, route, status, problemCode) =>
    log.child({ method, route, status: Number(status), ...(problemCode && { problemCode }) }),
  )
  return ({ method, route, status, problemCode = '', requestId, seconds, traceId }) =>
    childOf(method, route, String(status), problemCode).info({ requestId, seconds, traceId }, 'request')
}

/** The member of a line that says when (RFC 3339 in UTC). */
function createTimestamp(): () => string {
  const format = createTimestampFormat()
  return () => `,"time":"${format(Date.now())}"`
}

/**
 * What of an error may be logged: drivers put row values into `detail`, `parameters` and the like, and some into the
 * message of a data error, so only chosen members pass.
 */
const serializers = { err: describeError }

/** An error without anything that a customer sent: its kind, code and where it arose. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, errcode, syscall } = error as { code?: unknown; errcode?: unknown; syscall?: unknown }
  const stack = error.stack?.split('\n').filter((frame) => /^\s+at /.test(frame))
  return {
    type: error.name,
    // What the operating system says, and what the store says, holds no value that a customer sent.
    ...((syscall !== undefined || error.name === 'StoreError') && { message: error.message }),
    ...(code !== undefined && { code }),
    ...(errcode !== undefined && { errcode }),
    // Where the system refused, or a database that is away was asked, tells nobody more than the code does.
    ...(!isOutage(error) && { stack: stack?.slice(0, 12).map((frame) => atSource(frame.trim())) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}

function isOutage(error: Error): boolean {
  const { syscall, transient } = error as { syscall?: unknown; transient?: unknown }
  return syscall !== undefined || transient === true
}
