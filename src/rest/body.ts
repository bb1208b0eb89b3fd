import type { IncomingMessage } from 'node:http'
import { details } from '../words/problems.ts'
import { Refusal } from './problems.ts'
import type { Context } from './routes.ts'

export const bodyMaxBytes = 20_000

export const acceptedMediaType = 'application/json'

/** Refuses a body that is not declared as JSON in UTF-8, or has a content coding (RFC 9110 §15.5.16, §8.3, §8.4). */
export function requireJson({ req, request }: Context): void {
  const type = req.headers['content-type'] ?? ''
  // Do not parse a longer one.
  const isJson = type.length <= 200 && request.type.trim().toLowerCase() === acceptedMediaType
  if (!isJson || !['', 'utf-8', 'utf8'].includes(request.charset.toLowerCase())) {
    const fields = { Accept: acceptedMediaType, 'Accept-Post': acceptedMediaType }
    throw new Refusal('unsupported_media_type', { fields })
  }
  const coding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  // Node decodes only this transfer coding (RFC 9112 §6.1).
  const transfer = (req.headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase()
  if (coding !== 'identity' || transfer !== 'chunked')
    throw new Refusal('unsupported_content_encoding', { fields: { 'Accept-Encoding': 'identity' } })
}

/** Makes `readBody` of this request fail with this error, unless it is done, and drop what has arrived. */
export function interruptBody(req: IncomingMessage, problem: unknown): void {
  req.emit('interrupted', problem)
}

/** Reads the body. Throws `body_too_large`, even for the declared length alone, `bad_request` or `request_timeout`. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > bodyMaxBytes) return reject(new Refusal('body_too_large'))
    // One buffer, so that a body in chunks of a byte takes no more memory than another.
    const body = Buffer.allocUnsafe(Number(req.headers['content-length'] ?? bodyMaxBytes))
    let size = 0
    const fail = (error: unknown) => {
      // Node then discards the rest.
      req.off('data', onData).resume()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      if (size + chunk.length > body.length) fail(new Refusal('body_too_large'))
      else size += chunk.copy(body, size)
    }
    req.on('interrupted', fail)
    req.on('data', onData)
    req.on('end', () => resolve(body.subarray(0, size)))
    // Node emits `close` after every error, and after `end`.
    req.on('close', () => req.readableEnded || fail(new Refusal('bad_request', { detail: details.cut_off })))
  })
}
