import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { Redis } from 'ioredis'
import { type Backend, retry } from './backend.ts'
import { runContainer } from './container.ts'
import { freePort } from './free-port.ts'

/** Debian's binary. */
const binary = '/usr/bin/redis-server'

/** Every write goes to the append-only file, which Redis syncs to disk every second. */
const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '']

/** Starts a dedicated Redis on loopback: Debian's if installed, otherwise the image `REDIS_IMAGE`. */
export async function startRedis(directory: string): Promise<Backend> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', ...durable]
  const url = `redis://127.0.0.1:${port}`
  const server = existsSync(binary) ? startBinary(directory, args) : startImage(args)
  await retry(async () => {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: null })
    client.on('error', () => {})
    await client.connect()
    client.disconnect()
  })
  return { url, ...server }
}

function startBinary(directory: string, args: string[]): Omit<Backend, 'url'> {
  mkdirSync(directory, { recursive: true })
  const child = spawn(binary, [...args, '--dir', directory], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    pid: child.pid as number,
    origin: binary,
    dataDirectory: directory,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

function startImage(args: string[]): Omit<Backend, 'url'> {
  const image = process.env.REDIS_IMAGE ?? 'redis:8-bookworm'
  const container = runContainer(image, {}, ['redis-server', ...args])
  return {
    pid: container.pid,
    origin: `image ${image}`,
    dataDirectory: container.volume,
    [Symbol.asyncDispose]: async () => container[Symbol.dispose](),
  }
}

/** Deletes all clients' windows. */
export async function flushRedis(url: string): Promise<void> {
  const client = new Redis(url)
  await client.flushall()
  client.disconnect()
}

export async function readRedisVersion(url: string): Promise<string> {
  const client = new Redis(url)
  const info = await client.info('server')
  client.disconnect()
  return /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown'
}
