import { randomUUIDv7 } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { ParserErrorOptions } from '../net/public-server.ts'
import type { RenderProblem } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import { commonFields, type RequestReport } from './app.ts'
import { interruptBody } from './body.ts'
import { answerProblem, Refusal } from './problems.ts'

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The problems for what Node's parser refuses, by the error's code (docs/specification.md §2). */
export function createParserProblems(
  baseUrl: string,
  render: RenderProblem,
  onRefusal: (report: Omit<RequestReport, 'seconds'>) => void,
): ParserErrorOptions {
  const problemOf = (code = '') => new Refusal(codes[code] ?? 'bad_request', { fields: { Connection: 'close' } })

  return {
    answer(parserCode) {
      const requestId = randomUUIDv7()
      const { code, status, fields, body } = answerProblem(problemOf(parserCode), { baseUrl, render, requestId })
      onRefusal({ requestId, method: 'unknown', route: 'unknown', status, problemCode: code })
      const ownFields = {
        'X-Request-Id': requestId,
        Date: new Date().toUTCString(),
        'Content-Length': Buffer.byteLength(body),
      }
      const all = Object.entries({ ...commonFields(baseUrl), ...fields, ...ownFields })
      const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`
    },
    interrupt: (request, parserCode) => interruptBody(request, problemOf(parserCode)),
  }
}
