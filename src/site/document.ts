/** One form of a document. */
export interface Representation {
  contentType: string
  /** Makes the text, to be sent in UTF-8. Called once: after the start, or by the request that comes before. */
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
  /** Made for its first reader, not after the start: most are never read, and each takes memory. */
  onDemand?: boolean
  /** Where a document that only leads elsewhere leads: an absolute URL. */
  redirectTo?: string
}
