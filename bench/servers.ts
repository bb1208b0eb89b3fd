import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { freePorts } from '../test/support/ports.ts'
import { until } from '../test/support/until.ts'

/** The service as in its image: evidence of consent, duplicate check, idempotency, request log and metrics are on. */
const serviceEnv = { TRUSTED_PROXIES: 'loopback', TEST_LEADS: 'accept', LOG_LEVEL: 'info', DRAIN_SECONDS: '0' }

/** The servers to measure, and the entry file of each, relative to this folder. */
const entries = {
  'lead-intake': '../dist/main.js',
  // The same, while somebody follows the feed.
  'lead-intake-followed': '../dist/main.js',
  // An earlier commit, with which `--against` compares.
  before: 'data/before/dist/main.js',
  'raw-io': 'peer/raw-io.ts',
  fastify: 'peer/fastify.ts',
  'fastify-same': 'peer/fastify-same.ts',
  connect: 'peer/connect.ts',
  'bare-koa': 'peer/bare-koa.ts',
}

export type ContestantName = keyof typeof entries

export const isService = (name: ContestantName): boolean => /^(lead-intake|before)/.test(name)

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8', timeout: 60_000 }).trim()

/** Redis or PostgreSQL in a container on the host's network, without a proxy or a bridge, until this process ends. */
export type Backend = Awaited<ReturnType<typeof runImage>>

async function runImage(image: string, args: string[], url: string, ask: () => Promise<unknown>) {
  const options = ['--detach', '--rm', '--network=host', '--env=POSTGRES_HOST_AUTH_METHOD=trust']
  const id = docker('run', ...options, image, ...args)
  process.once('exit', () => docker('rm', '--force', '--volumes', id))
  await until(`${image} answers at ${url}`, ask, { withinMs: 10_000, everyMs: 50 })
  /** Its root process on the host, for measuring CPU time. */
  const pid = Number(docker('inspect', '--format', '{{.State.Pid}}', id))
  return { url, pid }
}

/**
 * Starts PostgreSQL. Every commit is durable. Checkpoints and vacuum run only between rounds, because inside a round
 * they would be charged to the server being measured.
 */
export async function startPostgres() {
  const [port] = await freePorts(1)
  const durable = 'fsync=on synchronous_commit=on full_page_writes=on'
  const settings = `${durable} autovacuum=off checkpoint_timeout=1h max_wal_size=16GB listen_addresses=127.0.0.1`
  const args = [...settings.split(' '), `port=${port}`].flatMap((setting) => ['-c', setting])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const image = process.env.POSTGRES_IMAGE ?? 'postgres:17-bookworm'
  return await runImage(image, ['postgres', ...args], url, () => runSql(url, 'SELECT 1'))
}

/** Starts Redis. Every write goes to the append-only file, synced every second. */
export async function startRedis() {
  const [port] = await freePorts(1)
  const url = `redis://127.0.0.1:${port}`
  const args = `redis-server --port ${port} --bind 127.0.0.1 --appendonly yes --appendfsync everysec --save`.split(' ')
  const image = process.env.REDIS_IMAGE ?? 'redis:8-bookworm'
  return await runImage(image, [...args, ''], url, () => withRedis(url, (client) => client.ping()))
}

/** Runs a statement on a connection of its own. */
export async function runSql(url: string, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url, query_timeout: 300_000 })
  await client.connect()
  return await client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null }).on('error', () => {})
  return await client
    .connect()
    .then(() => work(client))
    .finally(() => client.disconnect())
}

/** How many leads a server has stored. */
export async function countLeads(databaseUrl: string): Promise<number> {
  return Number((await runSql(databaseUrl, 'SELECT count(*) FROM leads'))[0]?.count)
}

/** A running server with its own ports and database. */
export type Server = Awaited<ReturnType<typeof startServer>>

/** Starts a server as a process of its own that logs to `directory`, and waits at most 15 seconds for an answer. */
export async function startServer(
  name: ContestantName,
  directory: string,
  settings: { DATABASE_URL: string; REDIS_URL: string; [name: string]: string },
) {
  const [port, internalPort, opsPort] = await freePorts(3)
  const ports = { PORT: String(port), INTERNAL_PORT: String(internalPort), OPS_PORT: String(opsPort) }
  const log = openSync(join(directory, `${name}.log`), 'a')
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', ...ports, ...(isService(name) && serviceEnv), ...settings }
  const entry = resolve(import.meta.dirname, entries[name])
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', log, log] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    child.kill()
    const timer = setTimeout(kill, 10_000)
    if (!hasEnded()) await once(child, 'exit')
    clearTimeout(timer)
    process.off('exit', kill)
  }
  const [publicUrl, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`]
  // A refused connection costs two milliseconds, so polling does not slow down the start.
  const isUp = () => hasEnded() || fetch(publicUrl).then(Boolean)
  await until(`${name} has started`, isUp, { withinMs: 15_000, everyMs: 2 }).catch(stop)
  if (hasEnded()) throw new Error(`${name} did not start`)
  return {
    pid: child.pid as number,
    publicUrl,
    internalUrl,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    /** Where it serves Connect over HTTP/1.1. */
    connectUrl: name === 'connect' ? publicUrl : internalUrl,
    databaseUrl: settings.DATABASE_URL,
    [Symbol.asyncDispose]: stop,
  }
}

/** The processes of a tree, by id. */
function treeOf(pid: string): string[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return [pid, ...children.flatMap(treeOf)]
  } catch {
    return []
  }
}

/** A number of each thread of a process and its descendants, by thread. A thread that ends meanwhile is left out. */
function ofThreads(pid: number, read: (thread: string) => number): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const process of treeOf(String(pid)))
    try {
      for (const thread of readdirSync(`/proc/${process}/task`)) {
        const path = `/proc/${process}/task/${thread}`
        numbers.set(path, read(path))
      }
    } catch {}
  return numbers
}

/** Starts counting, and returns the function that tells by how much the number has grown since. */
function counter(pid: number, read: (thread: string) => number): () => number {
  const before = ofThreads(pid, read)
  return () =>
    ofThreads(pid, read)
      .entries()
      .reduce((sum, [path, value]) => sum + value - (before.get(path) ?? 0), 0)
}

/** The CPU seconds of a process and its descendants from now on: time on a processor, in nanoseconds (schedstat). */
export function countCpu(pid: number): () => number {
  const read = counter(pid, (thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]))
  return () => read() / 1e9
}

/** How often threads of the process have gone to sleep from now on, and so were woken. */
export const countWakeUps = (pid: number): (() => number) =>
  counter(pid, (thread) =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`${thread}/status`, 'utf8'))?.[1]),
  )

/** The resident memory of a process, in MiB. */
export const mebibytesOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** The median time of a commit of one row in milliseconds, which shows how fast the disk syncs. */
export async function measureCommit(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('CREATE TABLE IF NOT EXISTS commits (n int)')
  const times: number[] = []
  for (let n = 0; n < 21; n++) {
    const startedMs = performance.now()
    await client.query('INSERT INTO commits VALUES (1)')
    times.push(performance.now() - startedMs)
  }
  await client.end()
  return times.sort((a, b) => a - b)[10] as number
}
