import { situations } from '../words/problems.ts'
import { LeadError } from './error.ts'
import { template } from './template.ts'

/** A structured-field String (RFC 9651 §3.3.3): printable ASCII in double quotes, with `\"` and `\\` escaped. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** The older form: the key without quotes, and without characters that could end or join a field. */
const bare = /^[!#-+\--:<-[\]-~]+$/

const maxLength = 255

/** A template that was not filled in, with or without quotes. */
const unfilledKey = new RegExp(`^"?(?:${template.source}|null)"?$`)

/** Common mistakes with specific hints. Several headers arrive as one, joined by commas. */
const mistakes: readonly [is: RegExp, hint: string][] = [
  [unfilledKey, situations.key_template],
  [/[^\x20-\x7e]/, situations.key_not_ascii],
  [/^[\w.-]+(?:, [\w.-]+)+$/, situations.key_list],
  [/^[\x20!#-~]{1,255}$/, situations.key_needs_quotes],
  [/^"[^"]*"\s*,/, situations.key_several],
  [/"/, situations.key_quotes],
]

/**
 * Parses an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header §2.1), quoted or bare; both forms give the
 * same key. Throws a `LeadError` `idempotency_key_invalid` when it is empty, longer than 255 characters, or not a
 * single such string.
 */
export function parseIdempotencyKey(field: string): string {
  const inner = quoted.exec(field)?.[1]?.replace(/\\(["\\])/g, '$1')
  const key = inner ?? (bare.test(field) ? field : '')
  if (key.length >= 1 && key.length <= maxLength && !unfilledKey.test(field)) return key
  throw new LeadError('idempotency_key_invalid', {
    hint: field.length > maxLength ? undefined : mistakes.find(([is]) => is.test(field))?.[1],
  })
}
