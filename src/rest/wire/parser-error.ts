import { randomUUIDv7 } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { RenderProblem } from '../../problem/document.ts'
import type { ProblemCode } from '../../problem/table.ts'
import { commonFields, type RequestReport, unknownRoute } from '../app.ts'
import { interruptBody } from '../body.ts'
import { ProblemError } from '../problem-error.ts'
import { answerProblem } from '../problems.ts'
import type { HeaderFields } from '../routes.ts'
import type { Connections } from './connections.ts'

export interface ParserErrorOptions {
  baseUrl: string
  renderProblem: RenderProblem
  connections: Connections
  /** Called for each refusal, like for other requests. The duration is unknown. */
  onRefusal(report: Omit<RequestReport, 'seconds'>): void
}

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** How long a refused connection stays open, in milliseconds. If it closed at once, a reset could overtake the answer. */
const lingerMs = 1_000

/**
 * Answers what Node's parser refuses (`clientError`), by the error's code alone (docs/specification.md §2). A request
 * whose head has arrived gets its answer from its own handler.
 */
export function createParserErrorHandler({ baseUrl, renderProblem, connections, onRefusal }: ParserErrorOptions) {
  const common = commonFields(baseUrl)
  const refused = new WeakSet<Socket>()

  function answer(socket: Socket, problem: ProblemError): void {
    if (!socket.writable || refused.has(socket)) return
    refused.add(socket)
    const requestId = randomUUIDv7()
    const { code, status, fields, body } = answerProblem(problem, { render: renderProblem, requestId, unexpected() {} })
    onRefusal({ requestId, method: 'unknown', route: unknownRoute, status, problemCode: code })
    socket.end(renderAnswer(status, { ...common, ...fields, 'X-Request-Id': requestId }, body))
    setTimeout(() => socket.destroy(), lingerMs)
  }

  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const problem = new ProblemError(codes[error.code ?? ''] ?? 'bad_request', { fields: { Connection: 'close' } })
    const newest = connections.newest(socket)
    if (!newest || newest.req.complete) connections.whenAnswered(socket, () => answer(socket, problem))
    else if (newest.writableEnded) connections.whenAnswered(socket, () => socket.destroySoon())
    else interruptBody(newest.req, problem)
  }
}

function renderAnswer(status: number, fields: HeaderFields, body: string): string {
  const length = String(Buffer.byteLength(body))
  const all = { ...fields, Date: new Date().toUTCString(), Connection: 'close', 'Content-Length': length }
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const [name, value] of Object.entries(all)) head += `${name}: ${value}\r\n`
  return `${head}\r\n${body}`
}
