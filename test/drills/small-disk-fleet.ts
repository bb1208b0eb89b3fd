import { GenericContainer, Wait } from 'testcontainers'
import { buildServiceImage } from '../image/service-image.ts'
import { startContainer } from '../support/container.ts'
import { contentsOf } from '../support/database.ts'
import { type Fleet, fleetEnv } from './fleet.ts'

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
