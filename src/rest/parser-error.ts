import { randomUUIDv7 } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type HeaderFields, mergeHeaderFields } from '../header-fields.ts'
import type { RenderProblem } from '../problem/document.ts'
import { commonFields } from './app.ts'
import { failBody } from './body.ts'
import { ProblemError, refuseMethod } from './problem-error.ts'
import { answerProblem, createProblemFields } from './problems.ts'
import type { Route } from './routes.ts'

/** What Node's HTTP parser says when it gives up (`clientError`). */
type ParserError = Error & { code?: string; rawPacket?: Buffer }

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^\s?]*)(?:\?\S*)? HTTP\/1\.[01]\r?\n/

/** Which problem a parser's error is. */
function problemOf(error: ParserError, route: Route | undefined): ProblemError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('header_fields_too_large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('request_timeout')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ProblemError('body_too_large')
    case 'HPE_INVALID_METHOD':
      // A well-formed method that Node has never heard of (RFC 9110 §15.5.6).
      return route ? refuseMethod(route.allow) : new ProblemError('bad_request')
    default:
      return new ProblemError('bad_request')
  }
}

/**
 * Answers what the HTTP parser refuses before there is a request (contract §2: 400, 408, 431), as every other error of
 * the public listener. When the request line can still be read, the fields of its path are on the answer too.
 */
export function createParserErrorHandler(options: {
  baseUrl: string
  routes: readonly Route[]
  renderProblem: RenderProblem
  onProblem(code: string, requestId: string): void
}) {
  const { routes, renderProblem, onProblem } = options
  const common = commonFields(options.baseUrl)
  const problemFieldsOf = new Map(
    [undefined, ...routes].map((route) => [route, createProblemFields(options.baseUrl, common, route)]),
  )
  const table = new Map(routes.map((route) => [route.path, route]))
  const answering = new WeakMap<Socket, ServerResponse>()

  /** Notes the answer that a connection is busy with: a parser's error must not write into the middle of it. */
  function track(req: IncomingMessage, res: ServerResponse): void {
    answering.set(req.socket, res)
  }

  async function onClientError(error: ParserError, socket: Socket): Promise<void> {
    const [, method, path = ''] = requestLine.exec(error.rawPacket?.toString('latin1') ?? '') ?? []
    const route = table.get(path)
    const problem = problemOf(error, route)
    const open = answering.get(socket)
    if (open && !open.writableFinished) {
      open.shouldKeepAlive = false
      failBody(socket, problem)
      return
    }
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = randomUUIDv7()
    const answer = answerProblem(problem, { render: renderProblem, requestId, unexpected() {} })
    onProblem(answer.code, requestId)
    const admission = method === 'POST' ? await route?.admit?.({ socket, headers: {} } as IncomingMessage) : undefined
    const fields = mergeHeaderFields(
      // Its refusal does not matter, since another problem answers.
      admission?.fields ?? [],
      problemFieldsOf.get(route)?.(answer.code) ?? [],
      answer.fields,
    )
    writeAnswer(socket, answer.status, answer.body, ['X-Request-Id', requestId, ...fields])
  }

  return { track, onClientError }
}

function writeAnswer(socket: Socket, status: number, body: string, fields: HeaderFields): void {
  const all = ['Date', new Date().toUTCString(), 'Connection', 'close', ...fields]
  all.push('Content-Length', String(Buffer.byteLength(body)))
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < all.length; at += 2) head += `${all[at]}: ${all[at + 1]}\r\n`
  socket.end(`${head}\r\n${body}`)
  socket.once('finish', () => socket.destroySoon())
}
