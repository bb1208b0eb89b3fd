import { problemMediaType, problemRow } from '../../../src/problem/document.ts'
import { type ProblemCode, problemCodes } from '../../../src/problem/table.ts'
import { type HeaderName, headerFact, headerNames } from '../facts/headers.ts'
import { problemHeaders, strayCodes, transportCodes } from '../facts/operations.ts'
import { exampleProblem } from '../facts/problem-examples.ts'
import { type JsonObject, ref } from './schema-parts.ts'

/** The headers of every answer. */
export const answerHeaders: readonly HeaderName[] = ['X-Request-Id']

/** Headers that are on every answer that lists them: what is not HTTP gets an answer without the others. */
const always: readonly HeaderName[] = ['X-Request-Id', 'Retry-After', 'ETag']

const patterns: Readonly<Partial<Record<HeaderName, string>>> = {
  'X-Request-Id': '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  'RateLimit-Policy': '^[0-9]+;w=[0-9]+$',
  Deprecation: '^@-?[0-9]+$',
  Sunset: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
  ETag: '^"[^"]+"$',
}

/** All headers that the service sends to programs, by name. CORS is for browsers. */
export function createHeaders(): Record<string, JsonObject> {
  const names = headerNames.filter(
    (name) => headerFact(name).sentBy === 'service' && name !== 'Access-Control-Allow-Origin',
  )
  return Object.assign({}, ...names.map((name) => whereSent(name, describeHeader(name))))
}

/** A member named after a header, in a section if only some deployments send it. Another member must follow. */
function whereSent(name: HeaderName, value: JsonObject): JsonObject {
  return name === 'Sunset' ? { '{{#removal}}': null, [name]: value, '{{/removal}}': null } : { [name]: value }
}

function describeHeader(name: HeaderName): JsonObject {
  const { where, meaning, example } = headerFact(name)
  // One placeholder alone is a number.
  const number = /^\{\{\w+\}\}$/.test(example)
  return {
    description: `${meaning} On ${where}.`,
    required: always.includes(name) ? true : undefined,
    schema: number
      ? { type: 'integer', format: 'int32', minimum: name === 'Retry-After' ? 1 : 0, maximum: 1_000_000 }
      : name === 'Idempotency-Replayed'
        ? { type: 'string', const: 'true' }
        : { type: 'string', maxLength: 1000, pattern: patterns[name] },
    example: number ? example.replace('{{', '{{number:') : example,
  }
}

/** References to headers, for an answer that has them. */
export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.assign({}, ...names.map((name) => whereSent(name, ref('headers', name))))
}

/** One example of each problem, by code. */
export function createProblemExamples(): JsonObject {
  const examples = problemCodes.map((code) => [code, { summary: problemRow(code).title, value: exampleProblem(code) }])
  return Object.fromEntries(examples)
}

/** What all answers to submissions on one path have in common. */
export interface Family {
  /** The prefix of their names in `components.responses`. */
  prefix: string
  codes: readonly ProblemCode[]
  /** The headers of all problem answers. */
  headers: readonly HeaderName[]
}

const statusesOf = (codes: readonly ProblemCode[]) =>
  [...new Set(codes.map((code) => problemRow(code).status))].sort((a, b) => a - b)

/** The problems of a family as shared answers: one per status, with an example per code. */
export function createProblemResponses({ prefix, codes, headers }: Family): Record<string, JsonObject> {
  return Object.fromEntries(
    statusesOf(codes).map((status) => {
      const own = codes.filter((code) => problemRow(code).status === status)
      // Agents slow down before the limit, not after a fault of the service.
      return [`${prefix}${status}`, problemResponse(own, status < 500 ? headers : [])]
    }),
  )
}

/** References to them, and to the default answer, for an operation. */
export function problemRefs({ prefix, codes }: Family): JsonObject {
  return {
    ...Object.fromEntries(statusesOf(codes).map((status) => [String(status), ref('responses', `${prefix}${status}`)])),
    default: ref('responses', otherProblem),
  }
}

/** The problems of read requests. */
export const readFamily: Family = {
  prefix: 'Read',
  codes: [...transportCodes, 'internal_error'],
  headers: [],
}

const otherProblem = 'OtherProblem'

/** The answer to requests that no operation describes: another path or method. */
export function createOtherProblem(): Record<string, JsonObject> {
  return { [otherProblem]: problemResponse(strayCodes, []) }
}

function problemResponse(codes: readonly ProblemCode[], headers: readonly HeaderName[]): JsonObject {
  const own = codes.flatMap((code) => problemHeaders[code] ?? [])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemRow(code).title}.`).join(' '),
    headers: headerRefs([...new Set([...headers, ...own])]),
    content: {
      [problemMediaType]: {
        schema: ref('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, ref('examples', code)])),
      },
    },
  }
}
