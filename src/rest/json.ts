import { isUtf8 } from 'node:buffer'
import { fillSentence } from '../lead/sentences.ts'
import type { Candidate } from '../lead/submission.ts'
import { problemTable } from '../problem/table.ts'
import { jsonCauses, situations } from '../words/problems.ts'
import { Refusal } from './problems.ts'

/**
 * Parses one JSON object from UTF-8 bytes (RFC 8259 §8.1). Throws `invalid_body` or `malformed_json`, even for a
 * repeated member name (RFC 7493 §2.3), of which `JSON.parse` would take the last, for consent too.
 */
export function parseJsonObject(bytes: Buffer): Candidate {
  if (!isUtf8(bytes)) throw new Refusal('malformed_json', { detail: situations.not_utf8, hint: situations.utf8 })
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal('invalid_body')
  if (repeatsName(text, value)) throw malformed(jsonCauses.repeated)
  return value as Candidate
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.trim() === '') throw malformed(jsonCauses.empty, problemTable.invalid_body.hint)
    throw malformed(causeOf(text, (error as SyntaxError).message))
  }
}

const malformed = (cause: string, hint?: string) =>
  new Refusal('malformed_json', { detail: fillSentence(situations.not_json, { cause }), hint })

/** Why the body is not JSON: a common mistake, or else what the parser says. Never quotes the body. */
function causeOf(text: string, message: string): string {
  if (text.includes('\0')) return jsonCauses.utf16
  const start = text.trimStart()
  if (start.startsWith('```')) return jsonCauses.fenced
  if (/^(?:--\S|[\w.%+[\]-]+=)/.test(start)) return jsonCauses.form
  if (/^[^{["\d-][^{]*\{\s*"/.test(start)) return jsonCauses.prose
  const at = Number(/at position (\d+) \(line/.exec(message)?.[1])
  if (message.includes('end of JSON input') || at >= text.trimEnd().length) return jsonCauses.ends_early
  if (message.includes('after JSON') && /^[\s,;]*\{/.test(text.slice(at))) return jsonCauses.several
  // These messages quote the text.
  if (/^(?:Unexpected token|")/.test(message)) return jsonCauses.character
  return fillSentence(jsonCauses.parser, { message: message.replace(/ \(line.*/, '') })
}

/** A JSON string, with the colon after it if it is a member's name. */
const jsonStrings = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g

/** Whether an object repeats a name: if so, the text has more names than the parsed value has members. */
function repeatsName(json: string, value: object): boolean {
  let members = 0
  let strings = 0
  const values: unknown[] = [value]
  for (const each of values) {
    if (typeof each === 'string') strings++
    if (typeof each !== 'object' || each === null) continue
    const inside = Object.values(each)
    if (!Array.isArray(each)) members += inside.length
    values.push(...inside)
  }
  // A text without escaped quotes has two for each name and string: with no more, no name is left over.
  let quotes = 0
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at + 1)) quotes++
  if (quotes === 2 * (members + strings)) return false
  const names = (json.match(jsonStrings) ?? []).filter((text) => text.endsWith(':'))
  return names.length > members
}
