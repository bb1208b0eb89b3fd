import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  GenericContainer,
  getContainerRuntimeClient,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
} from 'testcontainers'

/** How often to ask an engine that answers 5xx, such as that a port is still taken, and how long to wait between. */
const attempts = 20
const pauseMs = 500

/** What a test can do to a server in a container started by testcontainers. */
export async function controlsOf(container: StartedTestContainer) {
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId())
  /** To all processes but the first, which only a signal from outside stops. `kill` fails when there are none. */
  const signalOthers = (signal: string) =>
    container.exec(['sh', '-c', `kill -s ${signal} -- -1 || true`], { user: 'root' })
  // By signals, because an engine on a busy machine may be "unable to freeze" a container.
  return {
    /** Makes it hang, like a stalled server. */
    async pause() {
      await handle.kill({ signal: 'SIGSTOP' })
      await signalOthers('STOP')
    },
    async unpause() {
      await signalOthers('CONT')
      await handle.kill({ signal: 'SIGCONT' })
    },
  }
}

/** Starts a container. `define` is called for each attempt, so that it may choose other ports. */
export async function startContainer<T>(define: () => { start(): Promise<T> }): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await define().start()
    } catch (error) {
      const { statusCode = 0 } = error as { statusCode?: number }
      if (statusCode < 500 || attempt === attempts) throw error
      await delay(pauseMs)
    }
  }
}

/** nginx with these files, on its port 8080 or, in the host's network, on that of its configuration. */
export async function startNginx(files: Record<string, string>, network?: StartedNetwork | 'host') {
  const container = await startContainer(() => {
    const nginx = new GenericContainer(process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm')
      .withEnvironment({ BASE_URL: 'https://leads.example.org' })
      .withCopyContentToContainer(Object.entries(files).map(([target, content]) => ({ content, target })))
    if (network === 'host') return nginx.withNetworkMode('host')
    if (network) nginx.withNetwork(network)
    return nginx.withExposedPorts(8080).withWaitStrategy(Wait.forHttp('/', 8080))
  })
  return { url: () => `http://${container.getHost()}:${container.getMappedPort(8080)}`, stop: () => container.stop() }
}

/** The base image: the one in the Dockerfile, unless this machine has a stand-in for it. */
export const nodeImage: string = process.env.NODE_IMAGE ?? 'node:26-bookworm-slim'

/** Builds the service's image from the unmodified Dockerfile and returns its name. Cached when nothing has changed. */
export async function buildServiceImage(): Promise<string> {
  const name = 'localhost/lead-intake:test'
  await GenericContainer.fromDockerfile(join(import.meta.dirname, '../..'))
    .withBuildArgs({ NODE_IMAGE: nodeImage })
    .build(name, { deleteOnExit: false })
  return name
}
