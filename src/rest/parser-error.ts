import { randomUUIDv7 } from 'node:crypto'
import { type IncomingMessage, METHODS, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from '../connection/connections.ts'
import { type HeaderFields, mergeHeaderFields } from '../header-fields.ts'
import type { RenderProblem } from '../problem/document.ts'
import { commonFields, type RequestReport, unknownRoute } from './app.ts'
import { failBody } from './body.ts'
import { ProblemError, refuseMethod } from './problem-error.ts'
import { answerProblem, createProblemFields } from './problems.ts'
import type { Route } from './routes.ts'

/** The error of Node's HTTP parser (`clientError`). */
type ParserError = Error & { code?: string }

/**
 * How long to keep reading from a refused connection, in milliseconds, so that a reset for unread input does not
 * overtake the answer.
 */
const lingerMs = 1_000

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,30}) (\/[^\s?]{0,200})(?:\?\S*)?(?: HTTP\/1\.[01]\r?\n)?/

/** The methods that Node's parser knows. Any other is the caller's text and must not be logged. */
const knownMethods = new Set(METHODS)

/** Maps a parser error to a problem. */
function problemOf(error: ParserError, route: Route | undefined): ProblemError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('header_fields_too_large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('request_timeout')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ProblemError('body_too_large')
    case 'HPE_INVALID_METHOD':
      // A well-formed method that Node does not know (RFC 9110 §15.5.6).
      return route ? refuseMethod(route.allow) : new ProblemError('bad_request')
    default:
      return new ProblemError('bad_request')
  }
}

/**
 * Answers requests that the HTTP parser rejects (docs/specification.md §2: 400, 408, 431) with a problem, like all
 * other errors of the public listener. If the request line is readable, the answer has the fields of its path too.
 */
export function createParserErrorHandler(options: {
  baseUrl: string
  routes: readonly Route[]
  renderProblem: RenderProblem
  connections: Connections
  /** Called for each refusal, like for other requests. The duration is unknown. */
  onRefusal(report: Omit<RequestReport, 'seconds'>): void
  onError(error: unknown, requestId: string): void
}) {
  const { routes, renderProblem, connections, onRefusal, onError } = options
  const common = commonFields(options.baseUrl)
  const problemFieldsOf = new Map(
    [undefined, ...routes].map((route) => [route, createProblemFields(options.baseUrl, common, route)]),
  )
  const table = new Map(routes.map((route) => [route.path, route]))

  function onClientError(error: ParserError, socket: Socket): void {
    const [line = '', method = '', path = ''] = requestLine.exec(connections.requestLine(socket)) ?? []
    // An incomplete line may be the start of a longer path.
    const route = line.endsWith('\n') ? table.get(path) : undefined
    refuse(socket, error, { method, route })
  }

  /** CONNECT asks for a tunnel, which we do not provide. Node leaves closing the connection to us. */
  function onConnect(socket: Socket): void {
    refuse(socket, Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), { method: 'CONNECT', route: undefined })
  }

  function refuse(
    socket: Socket,
    error: ParserError,
    { method, route }: { method: string; route: Route | undefined },
  ): void {
    const problem = problemOf(error, route)
    const requestId = randomUUIDv7()
    const report = {
      requestId,
      method: knownMethods.has(method) ? method : 'unknown',
      route: route?.path ?? unknownRoute,
    }
    const open = connections.answering(socket)
    if (open) {
      // The pending answer is sent first, and is the last one.
      connections.detach(socket)
      open.shouldKeepAlive = false
      if (open.req.complete) onRefusal({ ...report, ...outcomeOf(problem, requestId) })
      else failBody(socket, problem)
      return
    }
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    connections.detach(socket)
    const answer = outcomeOf(problem, requestId)
    onRefusal({ ...report, ...answer })
    rateFields(method, route, error, socket).then(
      (fields) => {
        const all = mergeHeaderFields(fields, problemFieldsOf.get(route)?.(answer.code) ?? [], answer.fields)
        writeAnswer(socket, answer.status, answer.body, ['X-Request-Id', requestId, ...all])
      },
      (cause: unknown) => {
        onError(cause, requestId)
        socket.destroy()
      },
    )
  }

  function outcomeOf(problem: ProblemError, requestId: string) {
    const answer = answerProblem(problem, { render: renderProblem, requestId, unexpected() {} })
    return { ...answer, problemCode: answer.code }
  }

  /** The rate-limit fields for a rejected submission. An incomplete request is not counted; a malformed one is. */
  async function rateFields(
    method: string,
    route: Route | undefined,
    error: ParserError,
    socket: Socket,
  ): Promise<HeaderFields> {
    if (method !== 'POST' || !route?.admit) return []
    // Without headers, the peer is the client.
    const request = { socket, headers: {} } as IncomingMessage
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return route.rateFields?.(request) ?? []
    // Ignore the limiter's refusal: the parser error is reported instead, and waiting would not fix it.
    const { fields } = await route.admit(request)
    const wait = fields.indexOf('Retry-After')
    return wait === -1 ? fields : fields.toSpliced(wait, 2)
  }

  return { onClientError, onConnect }
}

function writeAnswer(socket: Socket, status: number, body: string, fields: HeaderFields): void {
  const all = ['Date', new Date().toUTCString(), 'Connection', 'close', ...fields]
  all.push('Content-Length', String(Buffer.byteLength(body)))
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < all.length; at += 2) head += `${all[at]}: ${all[at + 1]}\r\n`
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  // Both sides have ended, so there is nothing left to discard.
  socket.once('end', () => socket.destroySoon())
  socket.end(`${head}\r\n${body}`)
  socket.resume()
}
