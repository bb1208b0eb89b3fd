import { problemMediaType, problemRow } from '../../problem/document.ts'
import { type ProblemCode, problemCodes } from '../../problem/table.ts'
import type { DiscoveryContext } from '../context.ts'
import { type HeaderName, headerFact, headerNames } from '../facts/headers.ts'
import { problemHeaders } from '../facts/operations.ts'
import { exampleHeader, exampleProblem } from '../facts/problem-examples.ts'
import { type Json, type JsonObject, ref } from './schemas.ts'

/** Headers that are not on every answer which lists them. */
const sometimes: readonly HeaderName[] = ['Sunset', 'Idempotency-Replayed', 'Accept', 'Accept-Encoding']

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
  return Object.fromEntries(names.map((name) => [name, describeHeader(name, context)]))
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
export function problemResponses(codes: readonly ProblemCode[], headers: readonly HeaderName[]): JsonObject {
  const statuses = [...new Set(codes.map((code) => problemRow(code).status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      problemResponse(
        codes.filter((code) => problemRow(code).status === status),
        headers,
      ),
    ]),
  )
}

/** One answer that any of these problems can be. */
export function problemResponse(codes: readonly ProblemCode[], headers: readonly HeaderName[]): JsonObject {
  const own = codes.flatMap((code) => problemHeaders[code] ?? [])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemRow(code).title}. ${problemRow(code).hint}`).join('\n\n'),
    headers: headerRefs([...new Set([...headers, ...own])]),
    content: {
      [problemMediaType]: {
        schema: ref('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, ref('examples', code)])),
      },
    },
  }
}
