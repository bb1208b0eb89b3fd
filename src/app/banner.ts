import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { originOf } from '../config/internal.ts'
import { createConsentTexts } from '../consent/wording.ts'
import { leadsPath } from '../public-paths.ts'
import { sqlitePath } from '../store/database.ts'

/** The text that `npm start` prints: addresses, rules in force, and commands to copy. It contains no secrets. */
export function describeService(config: Config, addresses: Record<'public' | 'internal' | 'ops', AddressInfo>): string {
  const internalUrl = originOf({ ...config.internal, port: addresses.internal.port })
  const { limit, windowSeconds } = config.ratePolicy
  return `
Lead Intake is running.

  public     ${config.baseUrl}  (port ${addresses.public.port}: REST, documents, pages)
  internal   ${internalUrl}  (Connect, gRPC, gRPC-Web)
  ops        http://localhost:${addresses.ops.port}  (/livez, /readyz, /metrics)
  database   ${describeDatabase(config.databaseUrl)}
  limit      ${limit} submissions per ${windowSeconds} seconds and client
  test data  reserved test data is ${config.acceptTestLeads ? 'accepted' : 'refused'} (TEST_LEADS)

${describeTrial(config)}

See the leads with \`npm run leads\`.
Documentation: ${config.baseUrl}/developers
`
}

function describeDatabase(url: string): string {
  const path = sqlitePath(url)
  if (path === undefined) return `PostgreSQL at ${new URL(url).host}`
  return resolve(path).includes('@') ? 'the SQLite file that DATABASE_URL names' : resolve(path)
}

function describeTrial({ acceptTestLeads, baseUrl, business, consentWording }: Config): string {
  const { version } = createConsentTexts(business, consentWording).wording
  if (acceptTestLeads) return `Submit a lead:\n\n${exampleCurl(baseUrl, version)}`
  return `Only real leads are taken. To try it, start it with TEST_LEADS=accept.\nStatus:\n\n  curl ${baseUrl}/api/v1`
}

function exampleCurl(baseUrl: string, wordingVersion: string): string {
  return `  curl -i ${baseUrl}${leadsPath} \\
    -H 'Content-Type: application/json' -H 'Consent-Version: ${wordingVersion}' \\
    -d '{"name": "Pat Example", "phone": "(202) 555-0123", "email": "pat@example.com",
         "bedrooms": "3", "bathrooms": "2", "service": "Deep clean",
         "notes": "Two cats.", "communicationsConsent": true}'`
}
