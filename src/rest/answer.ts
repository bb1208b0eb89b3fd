import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderFields } from '../header-fields.ts'
import { answerEarly } from './early-answer.ts'

/** An answer, without the fields that depend on its path and connection. */
export interface Answer {
  status: number
  fields: HeaderFields
  /** Undefined: no content at all, not even an empty one (RFC 9110 §15.3.5, §15.4.5). */
  body?: string | Buffer
}

/** The media type of all the API's own answers. */
export const jsonContentType: HeaderFields = ['Content-Type', 'application/json; charset=utf-8']

/** The length of the content, if the answer may have any. */
export function contentLength({ body }: Answer): HeaderFields {
  return body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))]
}

/** Writes an answer in one piece. `fields` are all its fields. */
export function sendAnswer(req: IncomingMessage, res: ServerResponse, answer: Answer, fields: string[]): void {
  if (!isBodyUnderWay(req)) {
    write(res, answer, fields)
    return
  }
  // Node's parser emits a request before it has parsed the rest of its packet, so wait a turn.
  setImmediate(() => {
    if (isBodyUnderWay(req)) answerEarly(req, res, answer, fields)
    else write(res, answer, fields)
  })
}

function write(res: ServerResponse, { status, body }: Answer, fields: string[]): void {
  res.writeHead(status, fields)
  res.end(body)
}

/** Whether the request announced content (RFC 9112 §6) that has not fully arrived. */
function isBodyUnderWay(req: IncomingMessage): boolean {
  if (req.complete || req.destroyed) return false
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
  return coding !== undefined || length !== '0'
}
