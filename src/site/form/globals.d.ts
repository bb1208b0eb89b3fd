type DeploymentText = 'baseUrl' | 'phone' | 'email' | 'emailUri' | 'wording' | 'wordingVersion'
/** The values of the deployment, which `src/site/documents.ts` passes to the bundle. */
declare const deployment: Record<DeploymentText, string> & { phoneUri?: string }
