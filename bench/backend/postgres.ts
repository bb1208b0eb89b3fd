import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Backend, retry } from './backend.ts'
import { runContainer } from './container.ts'
import { freePort } from './free-port.ts'

/**
 * Durability settings keep their safe defaults. Checkpoints and vacuum run only between rounds, because inside a round
 * they would be charged to the server being measured.
 */
const settings = ['max_connections=300', 'autovacuum=off', 'checkpoint_timeout=1h', 'max_wal_size=16GB']

/** Starts a dedicated PostgreSQL on loopback: Debian's if installed, otherwise the image `POSTGRES_IMAGE`. */
export async function startPostgres(directory: string): Promise<Backend> {
  const port = await freePort()
  const args = [...settings, `port=${port}`, 'listen_addresses=127.0.0.1'].flatMap((setting) => ['-c', setting])
  // Debian's path, with the newest installed version.
  const [binary] = globSync('/usr/lib/postgresql/*/bin/postgres').toSorted().reverse()
  const server = binary === undefined ? startImage(args) : startBinary(binary, directory, args)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await retry(() => runSql(url, 'SELECT 1'))
  return { url, ...server }
}

/** PostgreSQL refuses to run as root, so use its own account then. */
function account(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (entry === null) throw new Error('PostgreSQL does not run as root, and there is no account "postgres"')
  return { uid: Number(entry[1]), gid: Number(entry[2]) }
}

function startBinary(binary: string, directory: string, args: string[]): Omit<Backend, 'url'> {
  const user = account()
  mkdirSync(directory, { recursive: true })
  if (user) chownSync(directory, user.uid, user.gid)
  const run = { ...user, cwd: directory }
  const initdb = join(dirname(binary), 'initdb')
  execFileSync(initdb, ['-D', directory, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'], {
    ...run,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const child = spawn(binary, ['-D', directory, '-c', 'unix_socket_directories=', ...args], { ...run, stdio: 'ignore' })
  return {
    pid: child.pid as number,
    origin: binary,
    dataDirectory: directory,
    [Symbol.asyncDispose]: async () => {
      // Fast shutdown: does not wait for clients to disconnect.
      child.kill('SIGINT')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

function startImage(args: string[]): Omit<Backend, 'url'> {
  const image = process.env.POSTGRES_IMAGE ?? 'postgres:17-bookworm'
  const container = runContainer(image, { POSTGRES_HOST_AUTH_METHOD: 'trust' }, ['postgres', ...args])
  return {
    pid: container.pid,
    origin: `image ${image}`,
    dataDirectory: container.volume,
    [Symbol.asyncDispose]: async () => container[Symbol.dispose](),
  }
}

/** Runs one statement on a separate connection. */
export async function runSql<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Creates an empty database on the server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await runSql(serverUrl, `CREATE DATABASE "${name}"`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** How many leads a server has stored. */
export async function countLeads(databaseUrl: string): Promise<number> {
  const [row] = await runSql<{ count: string }>(databaseUrl, 'SELECT count(*) FROM leads')
  return Number(row?.count)
}

export async function readPostgresVersion(url: string): Promise<string> {
  const [row] = await runSql<{ server_version: string }>(url, 'SHOW server_version')
  // Distributions append to the version: "15.18 (Debian …)".
  return row?.server_version.split(' ', 1)[0] ?? 'unknown'
}
