import { createKeyHash } from './key-hash.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The settings that all replicas of one installation must share, by name. */
export type SharedSettings = Readonly<Record<string, string | number>>

/** A line in Redis is forgotten when no replica has agreed with it for this long, in seconds. */
const forgetSeconds = 180

/**
 * Creates the function that compares this replica's settings with those of the replica that came first, and resolves to
 * the names of those that differ. `secrets` are compared by their hash.
 */
export function createAgreement(redis: RedisConnection, settings: SharedSettings, secrets: SharedSettings) {
  const hashes = Object.entries(secrets).map(([name, secret]) => [name, createKeyHash(`${secret}`)('')])
  const own: SharedSettings = { ...settings, ...Object.fromEntries(hashes) }
  const line = JSON.stringify(own)

  return async function findDifferences(installation: string): Promise<string[]> {
    const key = `limiterSettings:${installation}`
    const other = (await redis.get(key)) ?? line
    if (other === line) await redis.set(key, line, 'EX', forgetSeconds)
    const others: SharedSettings = JSON.parse(other)
    return Object.keys(own).filter((name) => own[name] !== others[name])
  }
}
