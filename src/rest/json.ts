import { isUtf8 } from 'node:buffer'
import type { Candidate } from '../lead/submission.ts'
import { problemTable } from '../problem/table.ts'
import { findJsonFault } from './json-fault.ts'
import { ProblemError } from './problem-error.ts'

/**
 * Parses one JSON object from UTF-8 bytes (RFC 8259 §8.1). Throws `malformed_json`, also for a repeated member name
 * (RFC 7493 §2.3: `JSON.parse` would let the last one decide about consent), and `invalid_body` for a value that is not
 * an object. Ignores a leading byte order mark.
 */
export function parseJsonObject(bytes: Buffer): Candidate {
  const text = bytes.toString('utf8')
  if (!isUtf8(bytes)) throw notUtf8(bytes, text)
  let value: unknown
  try {
    value = JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  } catch {
    // The parser's message quotes the body, so it is not passed on.
    throw malformed(text) ?? new ProblemError('malformed_json')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProblemError('invalid_body')
  const repeated = mayRepeatNames(text, value) ? malformed(text) : undefined
  if (repeated) throw repeated
  return value as Candidate
}

const byteOrderMark = '\ufeff'

/** The problem of the first fault of a JSON text, a repeated member name included. Undefined: it has none. */
function malformed(text: string): ProblemError | undefined {
  const skipped = text.startsWith(byteOrderMark) ? 1 : 0
  const fault = findJsonFault(text.slice(skipped))
  if (!fault) return undefined
  const offset = Buffer.byteLength(text.slice(0, fault.at + skipped))
  return new ProblemError('malformed_json', {
    ...(text.trim() === '' && { hint: problemTable.invalid_body.hint, showsWording: true }),
    detail: `The body is not valid JSON at byte ${offset} (counted from 0): ${fault.cause}.`,
  })
}

/** Finds the first byte that is not UTF-8. Decoding replaced it, so encoding the text again differs there. */
function notUtf8(bytes: Buffer, text: string): ProblemError {
  const written = Buffer.from(text)
  const offset = bytes.findIndex((byte, at) => byte !== written[at])
  return new ProblemError('malformed_json', {
    detail: `The body is not UTF-8 at byte ${offset} (counted from 0).`,
    hint: 'Encode the body as UTF-8: another encoding, such as Latin-1, cannot be read.',
  })
}

/** Whether to search for a repeated member name. A lead is flat, so the count of `":` tells; texts only add to it. */
function mayRepeatNames(text: string, value: object): boolean {
  const values = Object.values(value)
  return values.some((inner) => typeof inner === 'object') || text.match(/"\s*:/g)?.length !== values.length
}
