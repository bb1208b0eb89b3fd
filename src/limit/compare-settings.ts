import type { RedisConnection } from './redis-connection.ts'

/** How long Redis keeps settings with which no replica agrees any more, in seconds. */
const forgetSeconds = 180

/**
 * Compares this replica's settings with those of the first replica of its installation. Resolves to the names of those
 * that differ.
 */
export async function findDifferingSettings(
  redis: RedisConnection,
  installation: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<string[]> {
  const key = `limiterSettings:${installation}`
  const own = JSON.stringify(settings)
  const first = (await redis.get(key)) ?? own
  if (first === own) await redis.set(key, own, 'EX', forgetSeconds)
  const others = JSON.parse(first)
  return Object.keys(settings).filter((name) => settings[name] !== others[name])
}
