import { type AddressInfo, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { redisImage } from '../support/backends.ts'

/** A Redis of a test's own whose address stays the same over `kill` and `restart`. */
export interface RedisServer extends AsyncDisposable {
  port: number
  url: string
  /** Makes it hang, as a stalled server does. */
  pause(): Promise<void>
  unpause(): Promise<void>
  /** Makes it vanish, as a crashed server does. */
  kill(): Promise<void>
  restart(): Promise<void>
}

/** Asks a Redis at a port of this machine one thing, by a connection of its own. Rejects when no answer comes in time. */
export async function askRedis(port: number, command: string, ...args: string[]): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: () => null,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}

/** Ports of this machine that are free at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/**
 * Starts a container whose processes listen on the same ports inside and outside, so that what Redis says of itself is
 * true for both. `command` is given to the image.
 */
export async function startRedisContainer(ports: readonly number[], command: readonly string[]) {
  return new GenericContainer(redisImage)
    .withCommand([...command])
    .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(30_000)
    .start()
}

export async function startRedisServer(options: readonly string[] = []): Promise<RedisServer> {
  const [port] = (await freePorts(1)) as [number]
  const started = await startRedisContainer([port], ['redis-server', '--port', `${port}`, '--save', '', ...options])
  const container = (await getContainerRuntimeClient()).container.getById(started.getId())
  return {
    port,
    url: `redis://${started.getHost()}:${port}`,
    pause: () => container.pause(),
    unpause: () => container.unpause(),
    kill: () => container.kill(),
    restart: () => container.start(),
    [Symbol.asyncDispose]: async () => {
      await started.stop()
    },
  }
}
