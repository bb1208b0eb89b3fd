/** Why a text is not one JSON object with unique names, and where. Never quotes the text. */
export interface JsonFault {
  /** The index of the first invalid character. */
  at: number
  /** Completes a sentence. */
  cause: string
}

const spaces = ' \t\n\r'
const escaped = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`
const beginningOfText = new RegExp(String.raw`"[^"\\\x00-\x1f]*(?:${escaped}[^"\\\x00-\x1f]*)*`, 'y')
const text = new RegExp(`${beginningOfText.source}"`, 'y')
const scalar = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])/y

/** What may come next. `or end`: the closing bracket is allowed too, directly after an opening one or after a value. */
type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing'

/**
 * Finds the first fault of a JSON text (RFC 8259), including a repeated member name. Undefined: none. Runs only after
 * `JSON.parse` has failed, because its error does not always say where. Takes linear time and does not recurse, because
 * a text can be nested as deeply as it is long.
 */
export function findJsonFault(json: string): JsonFault | undefined {
  /** The member names of each open object; null for an open array. */
  const nesting: (Set<string> | null)[] = []
  let expected = 'value' as Expected
  let at = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(json)?.[0] ?? ''
  }
  const afterValue = (): Expected => (nesting.length > 0 ? 'comma or end' : 'nothing')
  const advance = (length: number, then: Expected) => {
    at += length
    expected = then
  }

  for (;;) {
    let next = json[at]
    while (next !== undefined && spaces.includes(next)) next = json[++at]
    if (next === undefined && expected === 'nothing') return undefined
    if (next === undefined) return { at, cause: json.trim() === '' ? 'it is empty' : 'it ends too early' }
    if (expected === 'nothing') return { at, cause: 'something follows the end of the JSON text' }
    const names = nesting.at(-1)
    const closes = next === (names ? '}' : ']') && nesting.length > 0
    if (expected === 'colon') {
      if (next !== ':') return { at, cause: 'a colon is missing after a member name' }
      advance(1, 'value')
    } else if (closes && expected.endsWith('or end')) {
      nesting.pop()
      advance(1, afterValue())
    } else if (expected === 'comma or end') {
      if (next !== ',') return { at, cause: causeOf(next, 'a comma is missing, or a quote in a text is not escaped') }
      advance(1, names ? 'name' : 'value')
    } else if (next === '}' || next === ']') {
      const trailing = closes && (expected === 'name' || names === null)
      return { at, cause: trailing ? 'there is a comma before the closing bracket' : 'a value is missing' }
    } else if (next === '"') {
      const found = match(text)
      if (found === '') return explainText(json, at + match(beginningOfText).length)
      const name: string | undefined = expected.startsWith('name') ? JSON.parse(found) : undefined
      if (name !== undefined && names?.has(name)) return { at, cause: 'a member name occurs twice in one object' }
      if (name !== undefined) names?.add(name)
      advance(found.length, name === undefined ? afterValue() : 'colon')
    } else if (expected.startsWith('name')) {
      return { at, cause: causeOf(next, 'a member name must be in double quotes') }
    } else if (next === '{' || next === '[') {
      nesting.push(next === '{' ? new Set() : null)
      advance(1, next === '{' ? 'name or end' : 'value or end')
    } else {
      const found = match(scalar)
      const known = 'a value must be a string in double quotes, a number, true, false, null, { or ['
      if (found === '') return { at, cause: causeOf(next, known) }
      advance(found.length, afterValue())
    }
  }
}

/** The likely mistake, when this character stands where a value or separator belongs. */
function causeOf(next: string, otherwise: string): string {
  if (next === "'" || next === '\u2018' || next === '\u2019')
    return 'a string is in single quotes instead of double quotes'
  if (next === '\u201c' || next === '\u201d') return 'a string is in curly quotes instead of straight quotes'
  if (next === '/' || next === '#') return 'a comment is not allowed'
  if (next === ',') return 'a comma has nothing before it'
  return otherwise
}

/** Why a string literal is invalid. */
function explainText(json: string, at: number): JsonFault {
  const next = json[at]
  if (next === undefined) return { at, cause: 'a string has no closing quote' }
  if (next === '\\') return { at, cause: 'a backslash in a string must be written twice' }
  return { at, cause: 'a line break or control character inside a string must be escaped' }
}
