/** One form of a document. */
export interface Representation {
  contentType: string
  /** Makes the text, to be sent in UTF-8. Called once, in a thread of its own. */
  render: () => string | Promise<string>
}

/** A document of the public listener. */
export interface Document extends Representation {
  /** The path below the public origin. */
  path: string
  /** Whether a script of any origin may read it: machine-readable documents (Fetch, CORS protocol). */
  readableAnywhere: boolean
  /** Further fields of every answer, such as `Link`. */
  headers?: Readonly<Record<string, string>>
  /** Other forms, chosen by `Accept` (RFC 9110 §12.5.1). */
  alternatives?: readonly (Representation & { mediaType: string })[]
  /** Where a document that only leads elsewhere leads: an absolute URL. */
  redirectTo?: string
}
