import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import type { Addresses } from './app.ts'
import type { Config } from './config/config.ts'
import { main } from './main.ts'

/**
 * Runs the service as `npm start` does: reserved test data passes unless the caller set it otherwise, and it says where
 * things are. Ends with the process.
 */
export function startLocally(): Promise<void> {
  return main({ ...process.env, TEST_LEADS: process.env.TEST_LEADS || 'accept' }, (config, addresses) => {
    console.log(describeService(config, addresses))
    // Kept now, as a process that is killed would not.
    flushCompileCache()
  })
}

/** Where things are and which rules apply, with a command to copy. No secret is in it. */
export function describeService(config: Config, { public: open, internal, ops }: Addresses): string {
  const { limit, windowSeconds } = config.ratePolicy
  const database = config.databaseUrl.startsWith('sqlite:')
    ? resolve(config.databaseUrl.slice('sqlite:'.length))
    : `PostgreSQL at ${new URL(config.databaseUrl).host}`
  return `
Lead Intake is running.

  public     ${config.baseUrl}  (port ${open.port}: REST, documents, pages)
  internal   http${config.internal.tls ? 's' : ''}://${internal.address}:${internal.port}  (Connect, gRPC, gRPC-Web)
  ops        http://localhost:${ops.port}  (/livez, /readyz, /metrics)
  database   ${database}
  limit      ${limit} submissions per ${windowSeconds} seconds and client, counted ${config.redis ? 'in Redis' : 'in this process'}
  test data  ${config.acceptTestLeads ? 'reserved test data is accepted' : 'reserved test data is refused'} (TEST_LEADS)

Submit a lead:

${exampleCurl(config.baseUrl)}
`
}

/** The README's example, for this origin. */
export function exampleCurl(baseUrl: string): string {
  return `  curl -i ${baseUrl}/api/v1/leads \\
    -H 'Content-Type: application/json' \\
    -d '{"name": "Pat Example", "phone": "(202) 555-0123", "email": "pat@example.com",
         "bedrooms": "3", "bathrooms": "2", "service": "Deep clean",
         "notes": "Two cats. Side gate is open.", "communicationsConsent": true}'`
}
