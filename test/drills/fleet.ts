import assert from 'node:assert/strict'
import { type Contents, readContents } from '../support/database.ts'
import { type RunningService, runService } from '../support/process.ts'

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
  fallbacks(): Promise<number>
}

/** The log event when a limiter switches to its fallback. */
export const fallbackLine = '"mode":"fallback"'

/** The limit in every drill. The window is longer than a drill, so all admissions fall into one window. */
export const limit = 10
export const replicaCount = 3

/** Settings of all replicas in a drill. Only problems are logged. */
export const fleetEnv = {
  RATE_LIMIT: `${limit}`,
  RATE_LIMIT_WINDOW_SECONDS: '86400',
  REPLICAS: `${replicaCount}`,
  LOG_LEVEL: 'warn',
} as const

/** Replicas as processes on this machine. */
export interface ProcessFleet extends Fleet {
  /** Kills one replica with SIGKILL. */
  kill(index: number): Promise<void>
  /** Stops one replica and waits for its exit. */
  stop(index: number): Promise<void>
  /** Starts a new process in place of one that has exited, on the same ports. */
  replace(index: number): Promise<void>
}

/** Starts three replicas as processes that share these backends. `firstEnv`: additional settings for the first one. */
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

/** Starts them concurrently. When one fails, the others are stopped. */
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
