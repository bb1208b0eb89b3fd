/** A JSON value; members that are undefined are left out. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }
/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json | undefined }

/** A reference to a part of the same document. */
export function ref(
  kind: 'schemas' | 'responses' | 'headers' | 'examples' | 'requestBodies',
  name: string,
): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}
