import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { originOf } from '../config/internal.ts'
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

See the leads with \`npm run leads\`.
Documentation: ${config.baseUrl}/developers
`
}

function describeDatabase(url: string): string {
  const path = sqlitePath(url)
  if (path === undefined) return `PostgreSQL at ${new URL(url).host}`
  return resolve(path).includes('@') ? 'the SQLite file that DATABASE_URL names' : resolve(path)
}
