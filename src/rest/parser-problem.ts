import { randomUUIDv7 } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { ParserErrorOptions } from '../net/parser-error.ts'
import type { RenderProblem } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import { commonFields, type RequestReport, unknownRoute } from './app.ts'
import { interruptBody } from './body.ts'
import { ProblemError } from './problem-error.ts'
import { answerProblem } from './problems.ts'
import type { HeaderFields } from './routes.ts'

export interface ParserProblemOptions {
  baseUrl: string
  renderProblem: RenderProblem
  /** Called for each refusal, like for other requests. The duration is unknown. */
  onRefusal(report: Omit<RequestReport, 'seconds'>): void
}

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The problems of what Node's parser refuses, by the error's code alone (docs/specification.md §2). */
export function createParserProblems({ baseUrl, renderProblem, onRefusal }: ParserProblemOptions): ParserErrorOptions {
  const common = commonFields(baseUrl)
  const problemOf = (code = '') => new ProblemError(codes[code] ?? 'bad_request', { fields: { Connection: 'close' } })

  return {
    answer(parserCode) {
      const requestId = randomUUIDv7()
      const options = { render: renderProblem, requestId, unexpected() {} }
      const { code, status, fields, body } = answerProblem(problemOf(parserCode), options)
      onRefusal({ requestId, method: 'unknown', route: unknownRoute, status, problemCode: code })
      return renderAnswer(status, { ...common, ...fields, 'X-Request-Id': requestId }, body)
    },
    interrupt: (request, parserCode) => interruptBody(request, problemOf(parserCode)),
  }
}

function renderAnswer(status: number, fields: HeaderFields, body: string): string {
  const length = String(Buffer.byteLength(body))
  const all = { ...fields, Date: new Date().toUTCString(), Connection: 'close', 'Content-Length': length }
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const [name, value] of Object.entries(all)) head += `${name}: ${value}\r\n`
  return `${head}\r\n${body}`
}
