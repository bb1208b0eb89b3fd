import assert from 'node:assert/strict'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { type Contents, readContents } from '../support/database.ts'
import { type RunningService, runService } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

/** One replica in a drill. */
export interface Replica {
  url: string
  opsUrl: string
}

/** The replicas of a drill, and the facts to verify at its end. */
export interface Fleet extends AsyncDisposable {
  /** The replicas that must be healthy when nothing is failing. */
  replicas: Replica[]
  /** The load's targets: the replicas, or a proxy in front of them. */
  urls: string[]
  readContents(): Promise<Contents>
  /** How many processes have counted clients in their own memory so far. */
  fallbacks(): number
}

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

/** Replicas as processes on this machine. */
export interface ProcessFleet extends Fleet {
  /** Ends one replica by a signal, and waits for its exit. */
  end(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Starts a new process in place of one that has exited, on the same ports. */
  replace(index: number): Promise<void>
}

/** Starts three replicas as processes that share these backends. */
export async function startFleet(env: { DATABASE_URL: string } & Record<string, string>): Promise<ProcessFleet> {
  const all: RunningService[] = []
  const disposeAll = async () => void (await Promise.all(all.map((service) => service.dispose())))
  async function start(own: Record<string, string> = {}) {
    const service = await runService({ ...fleetEnv, ...env, ...own })
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
    replicas,
    urls: places.map(({ url }) => url),
    readContents: () => readContents(env.DATABASE_URL),
    fallbacks: () => all.filter((service) => service.output().includes(fallbackLine)).length,
    async end(index, signal) {
      const service = places[index] as RunningService
      replicas.splice(replicas.indexOf(service), 1)
      service.child.kill(signal)
      assert.equal(await service.exited, signal === 'SIGTERM' ? 0 : signal)
    },
    async replace(index) {
      const { url, internalUrl, opsUrl } = places[index] as RunningService
      const [PORT = '', INTERNAL_PORT = '', OPS_PORT = ''] = [url, internalUrl, opsUrl].map((at) => new URL(at).port)
      places[index] = await start({ PORT, INTERNAL_PORT, OPS_PORT })
      replicas.push(places[index])
    },
    [Symbol.asyncDispose]: disposeAll,
  }
}

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
    fallbacks: () => replicas.filter((service) => service.log().includes(fallbackLine)).length,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
