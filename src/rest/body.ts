import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { readHeader, tooLong } from './header-bounds.ts'
import { readMediaType } from './negotiate.ts'
import { ProblemError } from './problem-error.ts'

/** The maximum size of a submission, in bytes (docs/specification.md §0). */
export const bodyMaxBytes = 20_000

/** The media type of lead submissions, for `Accept` and `Accept-Post`. */
export const acceptedMediaType = 'application/json'

const ownMediaTypes = new Set([
  acceptedMediaType,
  `${acceptedMediaType}; charset=utf-8`,
  `${acceptedMediaType};charset=utf-8`,
])

/**
 * Refuses a body that is not declared as JSON in UTF-8, or that has a content coding (RFC 9110 §15.5.16, §8.3, §8.4).
 */
export function requireJson(req: IncomingMessage): void {
  const type = readHeader(req, 'content-type')
  if (type === undefined || type === tooLong) throw refuseMediaType()
  if (!ownMediaTypes.has(type)) requireOwnMediaType(type)
  const encoding = readHeader(req, 'content-encoding')
  if (encoding !== undefined && (encoding === tooLong || encoding.trim().toLowerCase() !== 'identity')) {
    throw new ProblemError('unsupported_content_encoding', { fields: ['Accept-Encoding', 'identity'] })
  }
}

function requireOwnMediaType(type: string): void {
  const { essence, parameters } = readMediaType(type)
  if (essence !== acceptedMediaType) throw refuseMediaType()
  const charset = parameters.get('charset')
  if (charset === undefined || charset.toLowerCase() === 'utf-8') return
  throw refuseMediaType({
    detail: 'The Content-Type header names a charset other than utf-8.',
    hint: 'Encode the body as UTF-8, and send the header Content-Type: application/json without a charset.',
  })
}

function refuseMediaType(particulars: { detail?: string; hint?: string } = {}): ProblemError {
  const fields = ['Accept', acceptedMediaType, 'Accept-Post', acceptedMediaType]
  return new ProblemError('unsupported_media_type', { ...particulars, fields })
}

/** Requests that wait for `100 Continue` before sending their body (RFC 9110 §10.1.1). */
export const waitingForContinue = new WeakSet<IncomingMessage>()

/** The state of a connection whose body is being read. */
interface Reading {
  /** Fails the current read. */
  fail: ((error: ProblemError) => unknown) | undefined
  /** Why no more input will come. The parser may fail before the body is read. */
  broken: ProblemError | undefined
}

const readings = new WeakMap<Socket, Reading>()

function readingOf(socket: Socket): Reading {
  let reading = readings.get(socket)
  if (!reading) {
    reading = { fail: undefined, broken: undefined }
    readings.set(socket, reading)
  }
  return reading
}

/** Fails the reading of a connection's body with a problem, now or when it starts. */
export function failBody(socket: Socket, error: ProblemError): void {
  const reading = readingOf(socket)
  reading.broken = error
  reading.fail?.(error)
}

/**
 * Reads the content, buffering at most `bodyMaxBytes`. Throws `body_too_large`, `bad_request` or `request_timeout`. A
 * body whose declared length is too large is refused before any of it is read.
 */
export function readBody(req: IncomingMessage, res: ServerResponse): Buffer | Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > bodyMaxBytes) throw new ProblemError('body_too_large')
  // The usual case: all of it came with the headers, and listeners would take longer than the rest.
  if (req.complete) return takeComplete(req)
  const reading = readingOf(req.socket)
  if (reading.broken) throw reading.broken
  if (waitingForContinue.has(req)) res.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let settled = false
    const settle = () => {
      settled = true
      reading.fail = undefined
    }
    const refuse = (error: ProblemError) => {
      settle()
      req.pause()
      reject(error)
    }
    /** Input after a complete body belongs to the next request. */
    function failReading(error: ProblemError): void {
      if (!req.complete) refuse(error)
    }
    reading.fail = failReading
    req.on('data', (chunk: Buffer) => {
      if (settled) return
      size += chunk.length
      if (size > bodyMaxBytes) refuse(new ProblemError('body_too_large'))
      else chunks.push(chunk)
    })
    req.on('end', () => {
      if (settled) return
      settle()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    // `close` follows every error, so no separate `error` handling is needed.
    req.on('close', () => {
      if (settled) return
      refuse(new ProblemError('bad_request', { detail: 'The connection closed before the body was complete.' }))
    })
  })
}

/** Takes a body that has arrived as a whole. */
function takeComplete(req: IncomingMessage): Buffer {
  const body = (req.read() as Buffer | null) ?? Buffer.alloc(0)
  if (body.length > bodyMaxBytes) throw new ProblemError('body_too_large')
  return body
}
