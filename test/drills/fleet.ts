import assert from 'node:assert/strict'
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
  /** Asks one replica to stop, and waits until it has. */
  stop(index: number): Promise<void>
  /** Starts a new process in place, and at the ports, of one that has ended. */
  replace(index: number): Promise<void>
}

/** Starts three replicas as processes that share the backends named. `firstEnv`: what the first one has of its own. */
export async function startFleet(
  env: { DATABASE_URL: string } & Record<string, string>,
  firstEnv: Record<string, string> = {},
): Promise<ProcessFleet> {
  const start = (own: Record<string, string> = {}) => runService({ ...fleetEnv, ...env, ...own })
  const all = await startAll((index) => start(index === 0 ? firstEnv : {}))
  const fellBack = new Set<RunningService>()
  const places = [...all]
  const replicas: Replica[] = [...all]

  async function noteFallback(service: RunningService): Promise<void> {
    const metrics =
      service.child.exitCode === null && service.child.signalCode === null ? await readMetrics(service) : ''
    if (/^lead_intake_limiter_fallbacks_total [1-9]/m.test(metrics) || service.output().includes(fallbackLine)) {
      fellBack.add(service)
    }
  }

  async function end(index: number, signal: NodeJS.Signals): Promise<void> {
    const service = places[index] as RunningService
    replicas.splice(replicas.indexOf(service), 1)
    await noteFallback(service)
    service.child.kill(signal)
    assert.equal(await service.exited, signal === 'SIGTERM' ? 0 : signal)
  }

  return {
    replicas,
    urls: all.map(({ url }) => url),
    readContents: () => readContents(env.DATABASE_URL),
    async fallbacks() {
      await Promise.all(all.map(noteFallback))
      return fellBack.size
    },
    kill: (index) => end(index, 'SIGKILL'),
    stop: (index) => end(index, 'SIGTERM'),
    async replace(index) {
      const { url, internalUrl, opsUrl } = places[index] as RunningService
      const [PORT = '', INTERNAL_PORT = '', OPS_PORT = ''] = [url, internalUrl, opsUrl].map((at) => new URL(at).port)
      const service = await start({ PORT, INTERNAL_PORT, OPS_PORT })
      all.push(service)
      places[index] = service
      replicas.push(service)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((service) => service.dispose()))
    },
  }
}

async function readMetrics({ opsUrl }: RunningService): Promise<string> {
  return (await fetch(`${opsUrl}/metrics`)).text()
}

/** Starts them together; when one fails, none is left behind. */
async function startAll(start: (index: number) => Promise<RunningService>): Promise<RunningService[]> {
  const outcomes = await Promise.allSettled(Array.from({ length: replicaCount }, (_, index) => start(index)))
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    await Promise.all(started.map((service) => service.dispose()))
    throw outcome.reason
  }
  return started
}
