/** One representation of a document. */
export interface Representation {
  contentType: string
  /** Renders the text, which is sent as UTF-8. Called once, in a separate process unless the document is brief. */
  render: () => string | Promise<string>
}

/** A document of the public listener. */
export interface Document extends Representation {
  /** The path below the public origin. */
  path: string
  /** Whether rendering is trivial, so that this process does it itself. Otherwise a separate process does. */
  isBrief?: boolean
  /** Whether scripts from any origin may read it: true for machine-readable documents (Fetch, CORS protocol). */
  readableAnywhere: boolean
  /** Additional header fields of every answer, such as `Link`. */
  headers?: Readonly<Record<string, string>>
  /** Other representations, selected by `Accept` (RFC 9110 §12.5.1). */
  alternatives?: readonly (Representation & { mediaType: string })[]
  /** The absolute URL to redirect to, for a document that is only a redirect. */
  redirectTo?: string
}
