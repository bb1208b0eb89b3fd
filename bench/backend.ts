import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { buildGoProgram } from '../test/support/go-program.ts'
import { freePorts } from '../test/support/ports.ts'
import { type Contestant, type ContestantName, contestants } from './contestants.ts'

/** Redis or PostgreSQL in a container on the host's network: no proxy or bridge stands before it. */
export interface Backend extends AsyncDisposable {
  url: string
  /** Its root process on the host, for measuring CPU time. */
  pid: number
  /** Its data on the host. */
  dataDirectory: string
}

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim()

/** Runs an image, and waits at most ten seconds until `attempt` succeeds. */
async function runImage(image: string, args: string[], url: string, attempt: () => Promise<unknown>): Promise<Backend> {
  const id = docker(
    'run',
    '--detach',
    '--rm',
    '--network=host',
    '--env=POSTGRES_HOST_AUTH_METHOD=trust',
    image,
    ...args,
  )
  const deadlineMs = Date.now() + 10_000
  while (!(await attempt().then(Boolean, () => false))) {
    if (Date.now() > deadlineMs) throw new Error(`${image} does not answer at ${url}`)
    await delay(50)
  }
  return {
    url,
    pid: Number(docker('inspect', '--format', '{{.State.Pid}}', id)),
    dataDirectory: docker('inspect', '--format', '{{(index .Mounts 0).Source}}', id),
    [Symbol.asyncDispose]: async () => void docker('rm', '--force', '--volumes', id),
  }
}

/**
 * Starts PostgreSQL. Its durability settings keep their safe defaults. Checkpoints and vacuum run only between rounds,
 * because inside a round they would be charged to the server being measured.
 */
export async function startPostgres(): Promise<Backend> {
  const [port] = await freePorts(1)
  const settings = [
    'max_connections=300',
    'autovacuum=off',
    'checkpoint_timeout=1h',
    'max_wal_size=16GB',
    `port=${port}`,
  ]
  const args = [...settings, 'listen_addresses=127.0.0.1'].flatMap((setting) => ['-c', setting])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const image = process.env.POSTGRES_IMAGE ?? 'postgres:17-bookworm'
  return await runImage(image, ['postgres', ...args], url, () => runSql(url, 'SELECT 1'))
}

/** Starts Redis. Every write goes to the append-only file, synced every second. */
export async function startRedis(): Promise<Backend> {
  const [port] = await freePorts(1)
  const url = `redis://127.0.0.1:${port}`
  const args = `redis-server --port ${port} --bind 127.0.0.1 --appendonly yes --appendfsync everysec --save`.split(' ')
  const image = process.env.REDIS_IMAGE ?? 'redis:8-bookworm'
  return await runImage(image, [...args, ''], url, () => withRedis(url, (client) => client.ping()))
}

/** Runs a statement on a connection of its own. */
export async function runSql<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.disconnect()
  }
}

/** How many leads a server has stored. */
export async function countLeads(databaseUrl: string): Promise<number> {
  const [row] = await runSql<{ count: string }>(databaseUrl, 'SELECT count(*) FROM leads')
  return Number(row?.count)
}

/** A running server with its own ports and database. */
export interface Server extends AsyncDisposable {
  pid: number
  publicUrl: string
  internalUrl: string
  /** Where it serves Connect over HTTP/1.1. */
  connectUrl: string
  databaseUrl: string
  /** Time from the start of the process to its first answer, in milliseconds. */
  startMs: number
}

export interface ServerOptions {
  databaseUrl: string
  redisUrl: string
  /** For logs, what is built, and the document that bare Koa returns. */
  directory: string
  env?: Readonly<Record<string, string>>
}

/** Starts a server as a process of its own, and waits at most 15 seconds for its first answer. */
export async function startServer(name: ContestantName, options: ServerOptions): Promise<Server> {
  const { entry, env }: Contestant = contestants[name]
  const { databaseUrl, redisUrl, directory } = options
  const source = join(import.meta.dirname, entry)
  const [file, ...args] = name === 'go' ? [buildGoProgram(source, join(directory, 'go'))] : [process.execPath, source]
  const [port, internalPort, opsPort] = await freePorts(3)
  const log = openSync(join(directory, `${name}.log`), 'a')
  const startedMs = performance.now()
  const child = spawn(file as string, args, {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      OPS_PORT: String(opsPort),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      DOCUMENT_FILE: join(directory, 'openapi.json'),
      ...env,
      ...options.env,
    },
    stdio: ['ignore', log, log],
  })
  const stop = async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  const [publicUrl, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`]
  while (!(await answers(publicUrl))) {
    if (child.exitCode === null && performance.now() - startedMs < 15_000) continue
    await stop()
    throw new Error(`${name} did not start`)
  }
  const startMs = performance.now() - startedMs
  const connectUrl = name === 'connect' ? publicUrl : internalUrl
  return {
    pid: child.pid as number,
    publicUrl,
    internalUrl,
    connectUrl,
    databaseUrl,
    startMs,
    [Symbol.asyncDispose]: stop,
  }
}

/** Whether the server answers. A refused connection costs two milliseconds, so polling does not slow down the start. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume()
      resolve(true)
    }).on('error', () => setTimeout(resolve, 2, false))
  })
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** The CPU seconds used so far by each process and all its descendants, including ended ones. */
export function cpuSeconds(roots: readonly number[]): number[] {
  const processes = new Map<number, { parent: number; ticks: number }>()
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      // The fields of proc_pid_stat(5) from the third on, because the second may contain spaces.
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const stat = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      // utime, stime, cutime and cstime are fields 14 to 17.
      const ticks = stat.slice(11, 15).reduce((sum, field) => sum + field, 0)
      processes.set(pid, { parent: stat[1] as number, ticks })
    } catch {
      // The process has ended, and its parent has its CPU time.
    }
  }
  const isUnder = (pid: number, root: number): boolean =>
    pid === root || (processes.has(pid) && isUnder(processes.get(pid)?.parent ?? 0, root))
  return roots.map((root) => {
    const ticks = [...processes].map(([pid, process]) => (isUnder(pid, root) ? process.ticks : 0))
    return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond
  })
}
