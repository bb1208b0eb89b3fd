import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'

/** A running Redis or PostgreSQL, in a container on the host's network: no proxy or bridge stands before it. */
export interface Backend extends AsyncDisposable {
  url: string
  /** Its root process, as a process id of the host, for measuring CPU time. */
  pid: number
  image: string
  /** The data directory on the host. */
  dataDirectory: string
}

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim()

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Runs an image, and waits at most ten seconds until `attempt` succeeds. */
async function run(image: string, env: string[], command: string[], url: string, attempt: () => Promise<unknown>) {
  const id = docker('run', '--detach', '--rm', '--network', 'host', ...env, image, ...command)
  const deadlineMs = Date.now() + 10_000
  for (;;) {
    try {
      await attempt()
      break
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return {
    url,
    pid: Number(docker('inspect', '--format', '{{.State.Pid}}', id)),
    image,
    dataDirectory: docker('inspect', '--format', '{{(index .Mounts 0).Source}}', id),
    [Symbol.asyncDispose]: async () => void docker('rm', '--force', '--volumes', id),
  }
}

/**
 * Durability settings keep their safe defaults. Checkpoints and vacuum run only between rounds, because inside a round
 * they would be charged to the server being measured.
 */
const settings = ['max_connections=300', 'autovacuum=off', 'checkpoint_timeout=1h', 'max_wal_size=16GB']

/** Starts PostgreSQL from the image `POSTGRES_IMAGE`. */
export async function startPostgres(): Promise<Backend> {
  const port = await freePort()
  const args = [...settings, `port=${port}`, 'listen_addresses=127.0.0.1'].flatMap((setting) => ['-c', setting])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const image = process.env.POSTGRES_IMAGE ?? 'postgres:17-bookworm'
  const env = ['--env', 'POSTGRES_HOST_AUTH_METHOD=trust']
  return await run(image, env, ['postgres', ...args], url, () => runSql(url, 'SELECT 1'))
}

/** Starts Redis from the image `REDIS_IMAGE`. Every write goes to the append-only file, synced every second. */
export async function startRedis(): Promise<Backend> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const image = process.env.REDIS_IMAGE ?? 'redis:8-bookworm'
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '']
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', ...durable]
  return await run(image, [], command, url, () => withRedis(url, (client) => client.ping()))
}

/** Runs one statement on a connection of its own. */
export async function runSql<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.disconnect()
  }
}

/** Creates an empty database on the server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await runSql(serverUrl, `CREATE DATABASE "${name}"`)
  return new URL(`/${name}`, serverUrl).href
}

/** How many leads a server has stored. */
export async function countLeads(databaseUrl: string): Promise<number> {
  const [row] = await runSql<{ count: string }>(databaseUrl, 'SELECT count(*) FROM leads')
  return Number(row?.count)
}

/** Deletes all clients' windows. */
export async function flushRedis(url: string): Promise<void> {
  await withRedis(url, (client) => client.flushall())
}

/** The versions of both servers, without what a distribution appends: "15.18 (Debian …)". */
export async function readVersions(postgres: Backend, redis: Backend): Promise<{ postgres: string; redis: string }> {
  const [row] = await runSql<{ server_version: string }>(postgres.url, 'SHOW server_version')
  const info = await withRedis(redis.url, (client) => client.info('server'))
  return {
    postgres: row?.server_version.split(' ', 1)[0] ?? 'unknown',
    redis: /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown',
  }
}

/** How durable writes are on this machine. */
export interface Durability {
  settings: Record<string, string>
  /** The file system of PostgreSQL's data. */
  fileSystem: string
  /** The median time to write and fdatasync 8 KiB in the run's folder, in milliseconds. No commit can be faster. */
  fdatasyncMs: number
}

/** Queries both servers and measures the disk. Throws when a setting is unsafe or the data is in memory. */
export async function readDurability(postgres: Backend, redis: Backend, directory: string): Promise<Durability> {
  const settings: Record<string, string> = {}
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const [row] = await runSql<Record<string, string>>(postgres.url, `SHOW ${name}`)
    settings[name] = row?.[name] ?? ''
  }
  const [, appendOnly = ''] = (await withRedis(redis.url, (client) => client.config('GET', 'appendonly'))) as string[]
  settings.appendonly = appendOnly
  for (const [name, value] of Object.entries(settings))
    if (!['on', 'yes'].includes(value))
      throw new Error(`${name} is "${value}": figures without durability mean nothing`)
  const fileSystem = execFileSync('stat', ['--file-system', '--format=%T', postgres.dataDirectory], {
    encoding: 'utf8',
  }).trim()
  if (['tmpfs', 'ramfs'].includes(fileSystem))
    throw new Error(`${postgres.dataDirectory} lies in memory (${fileSystem})`)
  return { settings, fileSystem, fdatasyncMs: measureFdatasync(join(directory, 'fdatasync')) }
}

function measureFdatasync(path: string): number {
  const file = openSync(path, 'w')
  const page = Buffer.alloc(8_192, 1)
  const timesMs = Array.from({ length: 101 }, () => {
    const startMs = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - startMs
  })
  closeSync(file)
  rmSync(path)
  return timesMs.toSorted((a, b) => a - b)[50] as number
}
