import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../support/ports.ts'
import { until } from '../../support/until.ts'

/** Debian's PgBouncer in front of a database. */
export interface PgBouncer extends AsyncDisposable {
  url: string
}

export type PoolMode = 'session' | 'transaction' | 'statement'

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Starts one whose pool has this many server connections. */
export async function startPgBouncer(databaseUrl: string, poolMode: PoolMode, poolSize: number): Promise<PgBouncer> {
  const server = new URL(databaseUrl)
  const [port] = (await freePorts(1)) as [number]
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  // It refuses to run as root, and its user must be able to read its files.
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'users.txt'), `"${server.username}" "${server.password}"\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${poolMode}
server_login_retry = 1
default_pool_size = ${poolSize}
`,
  )
  const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...asWhom, join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit')
  const open = until('PgBouncer listens', () => isOpen(port))
  await Promise.race([open, ended.then(() => Promise.reject(new Error(`PgBouncer ended:\n${output}`)))])
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = `${port}`
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
