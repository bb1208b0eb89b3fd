import { isUtf8 } from 'node:buffer'
import { faultOfInner, findInnerLead } from '../lead/advice/inner-lead.ts'
import { allFields } from '../lead/advice/member-names.ts'
import { LeadError } from '../lead/error.ts'
import { fillSentence } from '../lead/sentences.ts'
import type { Candidate } from '../lead/submission.ts'
import { details, hints, jsonCauses } from '../words/problems.ts'
import { Refusal } from './problems.ts'

/**
 * Parses one JSON object from UTF-8 bytes (RFC 8259 §8.1). Throws `invalid_body` or `malformed_json`, even for a
 * repeated member name (RFC 7493 §2.3), of which `JSON.parse` would take the last, for consent too.
 */
export function parseJsonObject(bytes: Buffer): Candidate {
  // JSON has no null byte, and UTF-16 has many.
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new Refusal('malformed_json', { detail: details.not_utf8, hint: hints.utf8 })
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const value = parse(text)
  const inner = Array.isArray(value) && findInnerLead(value)
  if (inner) throw new LeadError('invalid_body', { faults: [faultOfInner(inner, true)] })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal('invalid_body')
  if (repeatsName(text, value)) throw malformed(jsonCauses.repeated)
  return value as Candidate
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(causeOf(text, (error as SyntaxError).message))
  }
}

const malformed = (cause: string) =>
  new Refusal('malformed_json', { detail: fillSentence(details.not_json, { cause }) })

/** Why the body is not JSON: a common mistake, or else what the parser says. Never quotes the body. */
function causeOf(text: string, message: string): string {
  const start = text.trimStart()
  if (/^(?:--\S|[\w.%+[\]-]+=)/.test(start)) return jsonCauses.form
  if (/^[^{["\d-][^{]*\{\s*"/.test(start)) return jsonCauses.prose
  const at = Number(/at position (\d+) \(line/.exec(message)?.[1])
  if (message.includes('end of JSON input') || at >= text.trimEnd().length) return jsonCauses.empty
  if (message.includes('after JSON') && /^[\s,;]*\{/.test(text.slice(at))) return jsonCauses.several
  // These messages quote the text.
  if (/^(?:Unexpected token|")/.test(message)) return jsonCauses.character
  const members = text.slice(0, at).match(/(?<=")\w+(?="\s*:)/g) ?? ['']
  const where = allFields.has(`${members.at(-1)}`) ? `, at ${members.at(-1)}` : ''
  return fillSentence(jsonCauses.parser, { message: message.replace(/ \(line.*/, '') }) + where
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
