/** A JSON value. Undefined members are left out. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }
export type JsonObject = { readonly [name: string]: Json | undefined }

/** A reference within the document. */
export function ref(
  kind: 'schemas' | 'responses' | 'headers' | 'examples' | 'requestBodies',
  name: string,
): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}

/** An object with these members, all of them required but the `optional` ones. */
export function object(description: string, properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', description, required, properties }
}

/** A text from the service. The bound is far above the length of any answer. */
export function text(description: string, maxLength: number, more: JsonObject = {}): JsonObject {
  return { type: 'string', description, maxLength, ...more }
}

export function url(description: string, more: JsonObject = {}): JsonObject {
  return text(description, 2048, { format: 'uri', ...more })
}

/** A text that is always the same. */
export function constant(description: string, value: string): JsonObject {
  return { type: 'string', description, const: value }
}

export function integer(description: string, minimum: number, maximum: number, examples?: number[]): JsonObject {
  return { type: 'integer', format: 'int32', description, minimum, maximum, examples }
}

/** A known code. More may be added, so clients must accept unknown ones. */
export function openCode(description: string, codes: readonly string[]): JsonObject {
  return { type: 'string', description, maxLength: 100, 'x-extensible-enum': codes }
}

export function consentSchema(description: string): JsonObject {
  return object(description, {
    version: text('The version of the wording.', 100),
    wording: text('The current wording. Tell it to the customer.', 10_000),
    url: url('Where the wording is published.'),
  })
}
