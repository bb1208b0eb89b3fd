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
  [
    unfilledKey,
    'The key is a template that was not filled in: every lead would have the same one. Send a new UUID for each lead, or no key.',
  ],
  [/[^\x20-\x7e]/, 'The key has a character outside printable ASCII. Send a new UUID, or no key.'],
  [
    /^[\w.-]+(?:, [\w.-]+)+$/,
    'There are several keys, or a comma in one. Send one key; a key with a comma stands in double quotes.',
  ],
  [
    /^[\x20!#-~]{1,255}$/,
    'The key has a space, comma, semicolon or backslash. Put it in double quotes: quotes make it valid, with each backslash written twice. Or send a new UUID, or no key.',
  ],
  [/^"[^"]*"\s*,/, 'There are several keys. Send one of them.'],
  [
    /"/,
    'Quotes stand at both ends of the key, and each quote or backslash inside needs a backslash before it. Or send a new UUID, or no key.',
  ],
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
  throw new LeadError(
    'idempotency_key_invalid',
    `The idempotency key is not one string of 1 to ${maxLength} printable ASCII characters.`,
    { hint: field.length > maxLength ? undefined : mistakes.find(([is]) => is.test(field))?.[1] },
  )
}
