type Shown = 'baseUrl' | 'phone' | 'email' | 'emailUri' | 'wording' | 'wordingVersion'
/** The values of the deployment, with which `src/site/documents.ts` calls the bundle. */
declare const deployment: Record<Shown, string> & { phoneUri?: string }

/** The text of `style.css`, which the bundler puts in. */
declare const styleText: string
