import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Backend } from './backend.ts'
import { runSql } from './postgres.ts'

/** The settings that decide whether an acknowledged lead survives a power failure, with the required values. */
const safe: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  appendonly: 'yes',
  appendfsync: 'everysec',
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
  const client = new Redis(redis.url)
  for (const name of ['appendonly', 'appendfsync']) {
    const [, value] = (await client.config('GET', name)) as string[]
    settings[name] = value ?? ''
  }
  client.disconnect()
  for (const [name, value] of Object.entries(settings)) {
    if (safe[name] !== value) throw new Error(`${name} is "${value}": figures without durability mean nothing`)
  }
  const fileSystem = fileSystemOf(postgres.dataDirectory)
  if (['tmpfs', 'ramfs'].includes(fileSystem))
    throw new Error(`${postgres.dataDirectory} lies in memory (${fileSystem})`)
  return { settings, fileSystem, fdatasyncMs: measureFdatasync(join(directory, 'fdatasync')) }
}

function fileSystemOf(directory: string): string {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point]) => `${directory}/`.startsWith(point === '/' ? '/' : `${point}/`))
    .toSorted(([, a], [, b]) => (a?.length ?? 0) - (b?.length ?? 0))
  return mounts.at(-1)?.[2] ?? 'unknown'
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
