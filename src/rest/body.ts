import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MIMEType } from 'node:util'
import { ProblemError } from './problem-error.ts'

/** The most bytes of content that a submission may have (specification, Limits). */
export const bodyMaxBytes = 20_000

/** The media type that lead paths take, as `Accept` and `Accept-Post` say it. */
export const acceptedMediaType = 'application/json'

const ownMediaTypes = new Set([
  acceptedMediaType,
  `${acceptedMediaType}; charset=utf-8`,
  `${acceptedMediaType};charset=utf-8`,
])

/** Refuses a body that is not declared as JSON in UTF-8, or is encoded (RFC 9110 §15.5.16, §8.3, §8.4). */
export function requireJson(req: IncomingMessage): void {
  const type = req.headers['content-type']
  if (type === undefined || !(ownMediaTypes.has(type) || isJson(type))) {
    throw new ProblemError('unsupported_media_type', {
      fields: ['Accept', acceptedMediaType, 'Accept-Post', acceptedMediaType],
    })
  }
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new ProblemError('unsupported_content_encoding', { fields: ['Accept-Encoding', 'identity'] })
  }
}

function isJson(type: string): boolean {
  try {
    const { essence, params } = new MIMEType(type)
    const charset = params.get('charset')
    return essence === acceptedMediaType && (charset === null || charset.toLowerCase() === 'utf-8')
  } catch {
    return false
  }
}

/** Requests that wait for `100 Continue` before they send their body (RFC 9110 §10.1.1). */
export const waitingForContinue = new WeakSet<IncomingMessage>()

/** How to end the reading of a body from outside: when the HTTP parser gives up on its connection. */
const readers = new WeakMap<Socket, (error: ProblemError) => unknown>()
/** Why no more of a connection's input will come: the parser may give up before the body is asked for. */
const broken = new WeakMap<Socket, ProblemError>()

/** Ends the reading of a connection's body, now or once it begins, with a problem. */
export function failBody(socket: Socket, error: ProblemError): void {
  broken.set(socket, error)
  readers.get(socket)?.(error)
}

/**
 * Reads the content, and never buffers more than `bodyMaxBytes`. Throws `body_too_large`, `bad_request` or
 * `request_timeout`. A body that is declared too long is refused before a byte of it is asked for.
 */
export function readBody(req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > bodyMaxBytes) throw new ProblemError('body_too_large')
  const failure = broken.get(req.socket)
  if (failure && !req.complete) throw failure
  if (waitingForContinue.has(req)) res.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = () => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      readers.delete(req.socket)
    }
    const fail = (error: ProblemError) => {
      settle()
      req.pause()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyMaxBytes) fail(new ProblemError('body_too_large'))
      else chunks.push(chunk)
    }
    const onEnd = () => {
      settle()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    }
    const onClose = () =>
      fail(new ProblemError('bad_request', { detail: 'The connection closed before the body was complete.' }))
    // What comes after a complete body is another request's matter.
    readers.set(req.socket, (error) => req.complete || fail(error))
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
