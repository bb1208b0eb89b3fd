import pino from 'pino'
import sonicBoom from 'sonic-boom'
import { settleWithin } from '../deadline.ts'

export type { Logger } from 'pino'

/** Writes JSON lines to stdout, or text to a terminal. Await `flush` before the process exits, or lines are lost. */
export async function createLog(level: string) {
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    // These fields are already in the message or in the banner.
    const ignore = 'pid,hostname,method,route,status,service,mode,addresses,baseUrl'
    const messageFormat = '{msg} {if route}{method} {route} {status}{end}{if service}{service} {method} {code}{end}'
    const stream = pretty({ colorize: true, singleLine: true, sync: true, messageFormat, ignore })
    return { log: pino({ level, serializers }, stream), flush: async () => {}, linesDropped: () => 0 }
  }
  // Lines beyond 16 MiB are dropped. At exit, `pino.destination` would wait for a stalled reader.
  const buffer = { contentMode: 'buffer', minLength: 8_192, maxLength: 16_777_216 } as const
  const destination = new sonicBoom.SonicBoom({ fd: 1, ...buffer })
  let dropped = 0
  /** Lines that may not have been written yet. */
  let unwritten = 0
  destination.on('drop', () => {
    unwritten--
    dropped++
  })
  /** Whether to flush again after the write in progress, because a flush does nothing during a write. */
  let isDue = false
  destination.on('drain', () => {
    unwritten = 0
    if (isDue) destination.flush()
    isDue = false
  })
  // The service outlives the reader of its log and a full disk. Refused lines are tried again with later ones.
  destination.on('error', () => {
    dropped += unwritten
    unwritten = 0
  })
  let timer: NodeJS.Timeout | undefined
  function write(line: string): void {
    unwritten++
    // As bytes, which its types omit: text costs more (docs/decisions/measurements.md, What V8 runs faster).
    destination.write(Buffer.from(line) as unknown as string)
    // `periodicFlush` would also wake a process that has nothing to log.
    if (timer) return
    timer = setTimeout(() => {
      timer = undefined
      isDue = true
      destination.flush()
    }, 1_000).unref()
  }
  const formatters = { level: (word: string) => ({ level: word }) }
  const timestamp = pino.stdTimeFunctions.isoTime
  const flushOnce = () => new Promise<void>((resolve) => destination.flush(() => resolve()))
  // A flush during a write waits only for that write, so later lines need a second flush.
  const flush = () => settleWithin(1_000, flushOnce().then(flushOnce)).catch(() => {})
  const stream = { write, flush: (done: () => void) => void flush().then(done) }
  return {
    log: pino({ level, base: undefined, timestamp, formatters, serializers }, stream),
    /** How many lines a slow reader or the system has lost since the start. */
    linesDropped: () => dropped,
    /** Resolves when all lines are written, or the reader has stalled for a second. */
    flush,
  }
}

/** Creates a function that returns true at most once in `everyMs`. */
export function createThrottle(everyMs: number, now: () => number): () => boolean {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return () => {
    if (now() < quietUntilMs) return false
    quietUntilMs = now() + everyMs
    return true
  }
}

/** Drivers put row values into errors, so only selected members are logged. */
const serializers = { err: describeError }

/** Describes an error by class, code and stack, without anything that a customer sent. */
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
    // The stack of an outage says nothing more than the code.
    ...(syscall === undefined && transient !== true && { stack: stack?.slice(0, 12).map((frame) => frame.trim()) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}
