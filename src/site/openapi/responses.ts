import { problemMediaType, problemRow } from '../../problem/document.ts'
import { type ProblemCode, problemCodes } from '../../problem/table.ts'
import type { DiscoveryContext } from '../context.ts'
import { type HeaderName, headerFact, headerNames } from '../facts/headers.ts'
import { problemHeaders, strayCodes, transportCodes } from '../facts/operations.ts'
import { exampleHeader, exampleProblem } from '../facts/problem-examples.ts'
import { type Json, type JsonObject, ref } from './json.ts'

/** The headers of every answer. */
export const answerHeaders: readonly HeaderName[] = ['X-Request-Id', 'Access-Control-Allow-Origin']

/** Reading is not counted, and a schema that nothing fits says so where a caller or a linter looks for it. */
export const uncountedHeaders: JsonObject = {
  'RateLimit-Limit': ref('headers', 'Uncounted'),
  'RateLimit-Reset': ref('headers', 'Uncounted'),
}

/** Headers that are not on every answer which lists them. */
const sometimes: readonly HeaderName[] = [
  'Access-Control-Allow-Origin',
  'Sunset',
  'Idempotency-Replayed',
  'Allow',
  'Accept',
  'Accept-Encoding',
]

const numbers: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']

const patterns: Readonly<Partial<Record<HeaderName, string>>> = {
  'X-Request-Id': '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  'RateLimit-Policy': '^[0-9]+;w=[0-9]+$',
  Deprecation: '^@-?[0-9]+$',
  Sunset: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
  ETag: '^"[^"]+"$',
}

/** Every header that the service sends, by name. */
export function createHeaders(context: DiscoveryContext): Record<string, JsonObject> {
  const names = headerNames.filter((name) => headerFact(name).sentBy === 'service')
  return {
    ...Object.fromEntries(names.map((name) => [name, describeHeader(name, context)])),
    Uncounted: { description: 'Never sent here: only submissions are counted.', schema: { not: {} } },
  }
}

function describeHeader(name: HeaderName, context: DiscoveryContext): JsonObject {
  const { where, meaning, standard } = headerFact(name)
  const example = exampleHeader(name, context)
  const number = numbers.includes(name)
  return {
    description: `${meaning} On ${where}.${standard ? ` ${standard}.` : ''}`,
    required: sometimes.includes(name) ? undefined : true,
    schema: number
      ? { type: 'integer', format: 'int32', minimum: name === 'Retry-After' ? 1 : 0, maximum: 1_000_000 }
      : name === 'Idempotency-Replayed'
        ? { type: 'string', const: 'true' }
        : { type: 'string', maxLength: 1000, pattern: patterns[name] },
    example: number ? Number(example) : example,
  }
}

/** References to headers, for an answer that carries them. */
export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, ref('headers', name)]))
}

/** One example of each problem, by code. */
export function createProblemExamples(context: DiscoveryContext): Record<string, JsonObject> {
  return Object.fromEntries(
    problemCodes.map((code) => [
      code,
      { summary: problemRow(code).title, value: exampleProblem(code, context) as Json },
    ]),
  )
}

/** The answers of an operation that can meet these problems: one for each status, with an example for each code. */
export function problemResponses(
  codes: readonly ProblemCode[],
  headers: readonly HeaderName[],
  moreHeaders: JsonObject = {},
): JsonObject {
  const statuses = [...new Set(codes.map((code) => problemRow(code).status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      problemResponse(
        codes.filter((code) => problemRow(code).status === status),
        headers,
        moreHeaders,
      ),
    ]),
  )
}

/** One answer that any of these problems can be. */
export function problemResponse(
  codes: readonly ProblemCode[],
  headers: readonly HeaderName[],
  moreHeaders: JsonObject = {},
): JsonObject {
  const own = codes.flatMap((code) => problemHeaders[code] ?? [])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemRow(code).title}. ${problemRow(code).hint}`).join('\n\n'),
    headers: { ...headerRefs([...new Set([...headers, ...own])]), ...moreHeaders },
    content: {
      [problemMediaType]: {
        schema: ref('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, ref('examples', code)])),
      },
    },
  }
}

const readCodes: readonly ProblemCode[] = [...transportCodes, 'internal_error']

/** The problems that reading can meet, as shared answers by status. */
export function createReadResponses(): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(problemResponses(readCodes, answerHeaders, uncountedHeaders)).map(([status, response]) => [
      `Read${status}`,
      response as JsonObject,
    ]),
  )
}

/** References to them, for every operation that reads. */
export const readProblems: JsonObject = {
  ...Object.fromEntries(
    readCodes.map(problemRow).map(({ status }) => [String(status), ref('responses', `Read${status}`)]),
  ),
  default: problemResponse(strayCodes, answerHeaders),
}
