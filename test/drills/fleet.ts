import { type Contents, readContents } from '../support/database.ts'
import { type RunningService, runService } from '../support/process.ts'

/** One replica, as a drill sees it. */
export interface Replica {
  url: string
  opsUrl: string
}

/** The replicas of a drill, and what must be known of them at its end. */
export interface Fleet extends AsyncDisposable {
  /** Those that are to be in order when nothing is amiss. */
  replicas: Replica[]
  /** Where the load goes: the replicas themselves, or what stands before them. */
  urls: string[]
  readContents(): Promise<Contents>
  /** How many processes have counted clients in their own memory at some time. */
  fallbacks(): Promise<number>
}

/** What the log says when a limiter goes over to its fallback. */
export const fallbackLine = '"mode":"fallback"'

/** The limit of every drill. The window outlasts a drill, so that what a client was admitted in all is what one window admits. */
export const limit = 10
export const replicaCount = 3

/** Settings that all replicas of a drill share. Only what is amiss is logged. */
export const fleetEnv = {
  RATE_LIMIT: `${limit}`,
  RATE_LIMIT_WINDOW_SECONDS: '86400',
  REPLICAS: `${replicaCount}`,
  LOG_LEVEL: 'warn',
} as const

/** Replicas that are processes of this machine. */
export interface ProcessFleet extends Fleet {
  /** `kill -9` of one replica, without a word. */
  kill(index: number): Promise<void>
  /** Starts a new process in place of one that was killed. */
  replace(index: number): Promise<void>
}

/** Starts three replicas as processes that share the backends named. */
export async function startFleet(env: { DATABASE_URL: string } & Record<string, string>): Promise<ProcessFleet> {
  const start = () => runService({ ...fleetEnv, ...env })
  const all = await startAll(start)
  const replicas: Replica[] = [...all]
  const urls = all.map(({ url }) => url)
  const serving = [...all]
  return {
    replicas,
    urls,
    readContents: () => readContents(env.DATABASE_URL),
    fallbacks: async () => all.filter((service) => service.output().includes(fallbackLine)).length,
    async kill(index) {
      const service = serving[index] as RunningService
      replicas.splice(replicas.indexOf(service), 1)
      service.signal('SIGKILL')
      await service.exited
    },
    async replace(index) {
      const service = await start()
      all.push(service)
      serving[index] = service
      replicas.push(service)
      urls[index] = service.url
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((service) => service.dispose()))
    },
  }
}

/** Starts them together; when one fails, none is left behind. */
async function startAll(start: () => Promise<RunningService>): Promise<RunningService[]> {
  const outcomes = await Promise.allSettled(Array.from({ length: replicaCount }, start))
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    await Promise.all(started.map((service) => service.dispose()))
    throw outcome.reason
  }
  return started
}
