import { postgresUrl, redisUrl } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { type Service, startService } from '../support/service.ts'
import { type Fleet, fallbackLine, fleetEnv } from './fleet.ts'

/** The clock offsets of the replicas, in milliseconds. Each is within the tolerance for consent times. */
const skewsMs = [-120_000, 0, 120_000]

/** Three replicas in this process, because only here can a clock be set. Their backends have the correct time. */
export async function startSkewedFleet(): Promise<Fleet> {
  const databaseUrl = await postgresUrl()
  const env = { ...fleetEnv, DATABASE_URL: databaseUrl, REDIS_URL: await redisUrl() }
  await using resources = new AsyncDisposableStack()
  const replicas: Service[] = []
  for (const skewMs of skewsMs)
    replicas.push(resources.use(await startService(env, { now: () => Date.now() + skewMs })))
  const owned = resources.move()
  return {
    replicas,
    urls: replicas.map(({ url }) => url),
    readContents: () => readContents(databaseUrl),
    fallbacks: async () => replicas.filter((service) => service.log().includes(fallbackLine)).length,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
