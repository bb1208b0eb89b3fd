import assert from 'node:assert/strict'
import { GenericContainer, Wait } from 'testcontainers'
import { buildServiceImage } from '../image/service-image.ts'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { startContainer } from '../support/container.ts'
import { type Contents, contentsOf, readContents } from '../support/database.ts'
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
  fallbacks(): Promise<number>
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

/** One replica with SQLite on a small disk that a drill can fill. */
export interface SmallDiskFleet extends Fleet {
  fill(): Promise<void>
  clear(): Promise<void>
}

/** The mount point of a small tmpfs that everyone may write to. */
const folder = '/tmp'

/** Reads the database in the container, because the disk is only mounted there. */
const readThere = `
  const database = new (require('node:sqlite').DatabaseSync)('${folder}/leads.db', { readOnly: true })
  console.log(JSON.stringify(database.prepare('SELECT id, personal, evidence FROM leads ORDER BY position').all()))`

/** Starts the service's own image. */
export async function startSmallDiskFleet(): Promise<SmallDiskFleet> {
  const image = await buildServiceImage()
  const container = await startContainer(() =>
    new GenericContainer(image)
      .withEnvironment({
        ...fleetEnv,
        DATABASE_URL: `sqlite:${folder}/leads.db`,
        TEST_LEADS: 'accept',
        // The load comes from the engine's network, and uses many client addresses.
        TRUSTED_PROXIES: '172.16.0.0/12,192.168.0.0/16',
      })
      .withTmpFs({ [folder]: 'rw,size=32m' })
      .withExposedPorts(8080, 9100)
      .withWaitStrategy(Wait.forHttp('/readyz', 9100)),
  )
  const at = (port: number) => `http://${container.getHost()}:${container.getMappedPort(port)}`
  const service = { url: at(8080), opsUrl: at(9100) }
  return {
    replicas: [service],
    urls: [service.url],
    readContents: async () => contentsOf(JSON.parse((await container.exec(['node', '-e', readThere])).stdout)),
    fallbacks: async () => 0,
    // Fails, because the disk is full.
    fill: async () => void (await container.exec(['dd', 'if=/dev/zero', `of=${folder}/ballast`, 'bs=4k'])),
    clear: async () => void (await container.exec(['rm', `${folder}/ballast`])),
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  }
}
