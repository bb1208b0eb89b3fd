import assert from 'node:assert/strict'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { type RunningService, runService } from '../support/process.ts'

/** One replica in a drill. */
export type Replica = Pick<RunningService, 'url' | 'opsUrl'>

/** The replicas of a drill, as processes on this machine, and the facts to verify at its end. */
export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** The log event when a limiter switches to its fallback. */
const fallbackLine = '"mode":"fallback"'

/** The limit in every drill. The window is longer than a drill, so all admissions fall into one window. */
export const limit = 10
export const replicaCount = 3

/** Settings of all replicas in a drill. Only problems are logged. */
const fleetEnv = {
  RATE_LIMIT: `${limit}`,
  RATE_LIMIT_WINDOW_SECONDS: '86400',
  REPLICAS: `${replicaCount}`,
  LOG_LEVEL: 'warn',
} as const

/** Starts three replicas as processes that share these backends, or else databases of the run's own servers. */
export async function startFleet(settings: Record<string, string> = {}) {
  const { DATABASE_URL = await postgresUrl(), REDIS_URL = await redisUrl() } = settings
  const env = { ...fleetEnv, ...settings, DATABASE_URL, REDIS_URL }
  const all: RunningService[] = []
  const disposeAll = async () => void (await Promise.all(all.map((service) => service.dispose())))
  async function start(own: Record<string, string> = {}) {
    const service = await runService({ ...env, ...own })
    all.push(service)
    return service
  }
  const places: RunningService[] = []
  try {
    for (let index = 0; index < replicaCount; index++) places.push(await start())
  } catch (error) {
    await disposeAll()
    throw error
  }
  const replicas: Replica[] = [...places]
  return {
    /** Those that must be healthy when nothing is failing. */
    replicas,
    /** Where the load goes. A drill may change it. */
    urls: places.map(({ url }) => url),
    readContents: () => readContents(DATABASE_URL),
    /** How many processes have counted clients in their own memory so far. */
    fallbacks: () => all.filter((service) => service.output().includes(fallbackLine)).length,
    /** Ends one replica by a signal, and waits for its exit. */
    async end(index: number, signal: 'SIGKILL' | 'SIGTERM') {
      const service = places[index] as RunningService
      replicas.splice(replicas.indexOf(service), 1)
      service.child.kill(signal)
      assert.equal(await service.exited, signal === 'SIGTERM' ? 0 : signal)
    },
    /** Starts a new process in place of one that has exited, on the same ports. */
    async replace(index: number) {
      const { url, internalUrl, opsUrl } = places[index] as RunningService
      const [PORT = '', INTERNAL_PORT = '', OPS_PORT = ''] = [url, internalUrl, opsUrl].map((at) => new URL(at).port)
      places[index] = await start({ PORT, INTERNAL_PORT, OPS_PORT })
      replicas.push(places[index])
    },
    [Symbol.asyncDispose]: disposeAll,
  }
}
