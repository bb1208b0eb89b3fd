import { isUtf8 } from 'node:buffer'
import type { Candidate } from '../lead/submission.ts'
import { problemRow } from '../problem/document.ts'
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
    throw malformed(text)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProblemError('invalid_body')
  if (countWrittenMembers(bytes) !== countKeptMembers(value)) throw malformed(text)
  return value as Candidate
}

const byteOrderMark = '\ufeff'

function malformed(text: string): ProblemError {
  const skipped = text.startsWith(byteOrderMark) ? 1 : 0
  const fault = findJsonFault(text.slice(skipped))
  if (!fault) return new ProblemError('malformed_json')
  const offset = Buffer.byteLength(text.slice(0, fault.at + skipped))
  return new ProblemError('malformed_json', {
    hint: text.trim() === '' ? problemRow('invalid_body').hint : undefined,
    detail: `The body is not valid JSON at byte ${offset} (counted from 0): ${fault.cause}.`,
  })
}

/**
 * Finds the first byte that is not UTF-8. Decoding replaced it, so encoding the text again differs there.
 */
function notUtf8(bytes: Buffer, text: string): ProblemError {
  const written = Buffer.from(text)
  const offset = bytes.findIndex((byte, at) => byte !== written[at])
  return new ProblemError('malformed_json', {
    detail: `The body is not UTF-8 at byte ${offset} (counted from 0).`,
    hint: 'Encode the body as UTF-8: another encoding, such as Latin-1, cannot be read.',
  })
}

/**
 * Counts the members that a well-formed JSON text contains, at all depths: one per colon outside of strings. No byte of a
 * longer UTF-8 sequence looks like one of these characters (RFC 3629 §3).
 */
function countWrittenMembers(bytes: Buffer): number {
  let count = 0
  let isInString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isInString = !isInString
    else if (isInString && byte === backslash) at++
    else if (!isInString && byte === colon) count++
  }
  return count
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/**
 * Counts the members of a parsed value, at all depths. Does not recurse, because nesting may be as deep as the body is
 * long.
 */
function countKeptMembers(root: object): number {
  let count = 0
  const pending: object[] = [root]
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (Array.isArray(node)) {
      for (const value of node) if (isNode(value)) pending.push(value)
      continue
    }
    // Finds only own members: the prototype of a parsed object has none that can be enumerated.
    for (const name in node) {
      count++
      const value = (node as Record<string, unknown>)[name]
      if (isNode(value)) pending.push(value)
    }
  }
  return count
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
