/** The values of the deployment. `src/site/documents.ts` calls the bundle with them. */
declare const deployment: {
  baseUrl: string
  phone: string
  /** Undefined: not a number of the North American plan. */
  phoneUri?: string
  email: string
  emailUri: string
  /** The consent wording in force, and its version. */
  wording: string
  wordingVersion: string
}

/** The text of `style.css`, which the bundler puts in. */
declare const styleText: string
