import { hints, problems } from '../words/problems.ts'

/** A structured-field String (RFC 9651 §3.3.3): printable ASCII in double quotes, with `\"` and `\\` escaped. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** The key without quotes, and without characters that end or join header fields. */
const bare = /^[!#-+\--:<-[\]-~]+$/

/** What begins an unfilled template (`lead/placeholder.ts`), or a program's word for nothing: all leads would share it. */
const unfilledKey =
  /\{\{|\$\{|<%|\*\||@\{|\$json\b|#(?:REF|VALUE|NAME|ERROR|N\/A)\b|\[object Object\]|(?<![A-Za-z\d])undefined(?![A-Za-z\d])|^"?(?:null|NULL|nil|None|[#$]?(?:\{[^\d@]*\}|\[[^\d@]*\]|<[^\d@]*>|%[^\d@]*%))"?$/

/** The keys in our own samples, in any form, and what others write in place of one. */
const sampleKey =
  /^"?(a-new-uuid-for-each-lead|a new uuid|(?:your|unique|idempotency)[_-]?(?:idempotency[_-]?)?(?:key|uuid)(?:[_-]here)?|uuid(?:-?v?[47])?|string|test)"?$/i

/**
 * Parses an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header §2.1), if there is one: to the key, the same in
 * both forms, or to the hint of `idempotency_key_invalid`. A key of our samples is refused unless `acceptsSamples`: the
 * next customer's lead has it too.
 */
export function parseIdempotencyKey(
  field: string | undefined,
  acceptsSamples: boolean,
): { key?: string; keyHint?: string } {
  if (field === undefined) return {}
  const sample = sampleKey.exec(field)?.[1]
  const inner = sample ?? quoted.exec(field)?.[1]?.replace(/\\(["\\])/g, '$1')
  const key = inner ?? (bare.test(field) ? field : '')
  const isTemplate = unfilledKey.test(field) || (sample !== undefined && !acceptsSamples)
  if (isTemplate) return { keyHint: hints.key_template }
  return key.length >= 1 && key.length <= 255 ? { key } : { keyHint: problems.idempotency_key_invalid.hint }
}
