import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderFields } from '../header-fields.ts'
import { answerEarly } from './early-answer.ts'

/** An answer to a request, but for the fields that its path and its connection add. */
export interface Answer {
  status: number
  fields: HeaderFields
  /** Undefined: the answer has no content, not even an empty one (RFC 9110 §15.3.5, §15.4.5). */
  body?: string | Buffer
}

/** The media type of the API's own answers. */
export const jsonContentType: HeaderFields = ['Content-Type', 'application/json; charset=utf-8']

/** Writes an answer in one piece. `fields` are all of its fields but the length of its content. */
export function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  { status, body }: Answer,
  fields: string[],
): void {
  if (body !== undefined) fields.push('Content-Length', String(Buffer.byteLength(body)))
  if (body !== undefined && isBodyUnderWay(req)) {
    answerEarly(req, res, { status, body }, fields)
  } else {
    res.writeHead(status, fields)
    res.end(body)
  }
}

/** Whether content was announced (RFC 9112 §6) and has not arrived. A request is answered before Node calls it complete. */
function isBodyUnderWay(req: IncomingMessage): boolean {
  if (req.complete || req.destroyed) return false
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
  return coding !== undefined || length !== '0'
}
