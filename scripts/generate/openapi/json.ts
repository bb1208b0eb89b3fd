/** A JSON value. Undefined members are left out. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }
/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json | undefined }

/** A reference within the document. */
export function ref(
  kind: 'schemas' | 'responses' | 'headers' | 'examples' | 'requestBodies',
  name: string,
): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}
