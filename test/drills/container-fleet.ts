import { join } from 'node:path'
import { GenericContainer, Network, type StartedNetwork, type StartedTestContainer, Wait } from 'testcontainers'
import { buildServiceImage } from '../image/service-image.ts'
import { postgresImage, redisImage } from '../support/backends.ts'
import { type Contents, readContents } from '../support/database.ts'
import { type Fleet, fallbackLine, fleetEnv, type Replica, replicaCount } from './fleet.ts'

const nginxImage = process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm'
const template = join(import.meta.dirname, '../../deploy/nginx/lead-intake.conf.template')

/** Networks of container engines. All of them are trusted, since the load speaks for many clients. */
const containerNetworks = '172.16.0.0/12,192.168.0.0/16'
const env = { ...fleetEnv, TEST_LEADS: 'accept', TRUSTED_PROXIES: containerNetworks }

/** How long a stop may take: the drain, and what is in flight. */
const drainSeconds = 2
const stopMs = 20_000

/** One replica in a container of the service's own image. */
interface ServiceContainer extends Replica {
  container: StartedTestContainer
  log(): string
}

let built: Promise<string> | undefined

async function startService(define: (container: GenericContainer) => GenericContainer): Promise<ServiceContainer> {
  built ??= buildServiceImage()
  let log = ''
  const container = await define(new GenericContainer(await built))
    .withExposedPorts(8080, 9100)
    .withLogConsumer((stream) => stream.on('data', (line) => (log += line)))
    .withWaitStrategy(Wait.forHttp('/readyz', 9100))
    .start()
  const at = (port: number) => `http://${container.getHost()}:${container.getMappedPort(port)}`
  return { container, url: at(8080), opsUrl: at(9100), log: () => log }
}

/** Replicas in containers behind the proxy of compose.yaml, with backends of their own. */
export interface RollingFleet extends Fleet {
  /** Replaces every replica by a new one, as an orchestrator does: start one, wait until it is ready, stop an old one. */
  roll(): Promise<void>
}

export async function startRollingFleet(): Promise<RollingFleet> {
  const network = await new Network().start()
  const running = new Set<StartedTestContainer>()
  const dispose = async () => {
    await Promise.all(Array.from(running, (container) => container.stop()))
    await network.stop()
  }
  try {
    return { ...(await startOn(network, running)), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function startOn(network: StartedNetwork, running: Set<StartedTestContainer>) {
  async function keep(starting: Promise<StartedTestContainer>): Promise<StartedTestContainer> {
    const container = await starting
    running.add(container)
    return container
  }
  const [postgres] = await Promise.all([
    keep(
      new GenericContainer(postgresImage)
        .withEnvironment({ POSTGRES_PASSWORD: 'drill', POSTGRES_DB: 'leads' })
        .withNetwork(network)
        .withNetworkAliases('postgres')
        .withExposedPorts(5432)
        .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
        .start(),
    ),
    keep(new GenericContainer(redisImage).withNetwork(network).withNetworkAliases('redis').start()),
  ])

  const all: ServiceContainer[] = []
  async function start(): Promise<ServiceContainer> {
    const service = await startService((container) =>
      container
        .withEnvironment({
          ...env,
          DATABASE_URL: 'postgres://postgres:drill@postgres:5432/leads',
          REDIS_URL: 'redis://redis:6379',
          DRAIN_SECONDS: `${drainSeconds}`,
        })
        .withNetwork(network)
        .withNetworkAliases('lead-intake'),
    )
    running.add(service.container)
    all.push(service)
    return service
  }
  const replicas = await Promise.all(Array.from({ length: replicaCount }, start))
  const proxy = await keep(
    new GenericContainer(nginxImage)
      .withEnvironment({ BASE_URL: 'http://localhost:8080' })
      .withCopyFilesToContainer([{ source: template, target: '/etc/nginx/templates/default.conf.template' }])
      .withNetwork(network)
      .withExposedPorts(8080)
      .withWaitStrategy(Wait.forHttp('/api/v1', 8080))
      .start(),
  )
  return {
    replicas,
    urls: [`http://${proxy.getHost()}:${proxy.getMappedPort(8080)}`],
    readContents: () =>
      readContents(`postgres://postgres:drill@${postgres.getHost()}:${postgres.getMappedPort(5432)}/leads`),
    fallbacks: async () => all.filter((service) => service.log().includes(fallbackLine)).length,
    async roll() {
      for (const old of [...replicas]) {
        replicas.push(await start())
        replicas.splice(replicas.indexOf(old), 1)
        running.delete(old.container)
        await old.container.stop({ timeout: stopMs })
      }
    },
  }
}

/** One replica with SQLite on a disk that a drill can fill. */
export interface SmallDiskFleet extends Fleet {
  fill(): Promise<void>
  clear(): Promise<void>
}

/** Where everyone may write, a small disk of memory is put. */
const folder = '/tmp'

/** Reads the database where it is, for its disk is the container's. */
const readThere = `
  const database = new (require('node:sqlite').DatabaseSync)('${folder}/leads.db', { readOnly: true })
  const ids = (sql) => database.prepare(sql).all().map(({ id }) => id)
  console.log(JSON.stringify({
    leads: ids('SELECT id FROM leads'),
    consents: ids('SELECT lead_id AS id FROM consent_records'),
    distinct: ids('SELECT count(DISTINCT content) AS id FROM leads')[0],
  }))`

export async function startSmallDiskFleet(): Promise<SmallDiskFleet> {
  const service = await startService((container) =>
    container
      .withEnvironment({ ...env, DATABASE_URL: `sqlite:${folder}/leads.db` })
      .withTmpFs({ [folder]: 'rw,size=32m' }),
  )
  const run = async (...command: string[]) => {
    const { exitCode, stdout, output } = await service.container.exec(command)
    return { exitCode, stdout, output }
  }
  return {
    replicas: [service],
    urls: [service.url],
    readContents: async () => JSON.parse((await run('node', '-e', readThere)).stdout) as Contents,
    fallbacks: async () => 0,
    // Ends with an error, since the disk is full.
    fill: async () => void (await run('dd', 'if=/dev/zero', `of=${folder}/ballast`, 'bs=4k')),
    clear: async () => void (await run('rm', `${folder}/ballast`)),
    [Symbol.asyncDispose]: async () => void (await service.container.stop()),
  }
}
