import { Redis } from 'ioredis'
import { GenericContainer, Wait } from 'testcontainers'
import { redisImage } from '../support/backends.ts'
import { controlsOf, startContainer } from '../support/container.ts'
import { freePorts } from '../support/ports.ts'

/** Sends one command to a Redis on this machine, on a separate connection. Rejects when no answer comes in time. */
export async function askRedis(port: number, command: string, ...args: string[]): Promise<unknown> {
  const options = { lazyConnect: true, connectTimeout: 2_000, commandTimeout: 2_000, retryStrategy: () => null }
  const client = new Redis(port, '127.0.0.1', options)
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}

/** Starts a container with the same ports inside and outside, so that the addresses that Redis announces are valid. */
export async function startRedisContainer(ports: readonly number[], command: readonly string[]) {
  return startContainer(() =>
    new GenericContainer(redisImage)
      .withCommand([...command])
      .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/)),
  )
}

/** A dedicated Redis, which can hang. */
export async function startRedisServer() {
  const [port] = (await freePorts(1)) as [number]
  const started = await startRedisContainer([port], ['redis-server', '--port', `${port}`, '--save', ''])
  return {
    ...(await controlsOf(started)),
    url: `redis://${started.getHost()}:${port}`,
    [Symbol.asyncDispose]: async () => void (await started.stop()),
  }
}
