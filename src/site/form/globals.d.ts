/** The values of the deployment, with which `src/site/documents.ts` calls the bundle. */
declare const deployment: {
  baseUrl: string
  phone: string
  /** Undefined: not a number of the North American plan. */
  phoneUri?: string
  email: string
  emailUri: string
  wording: string
  wordingVersion: string
}

/** The text of `style.css`, which the bundler puts in. */
declare const styleText: string
