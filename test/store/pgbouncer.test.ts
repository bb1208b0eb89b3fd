import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { migrate, openStore } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { newFolder } from '../support/folder.ts'
import { freePorts } from '../support/ports.ts'
import { skipWithout } from '../support/tools.ts'
import { until } from '../support/until.ts'
import { makeLead } from './leads.ts'

/** Starts Debian's PgBouncer in front of a new database, and calls `body` with its URL. */
async function withPgBouncer(poolMode: string, body: (url: string) => Promise<unknown>): Promise<void> {
  const url = new URL(await postgresUrl())
  const [port] = (await freePorts(1)) as [number]
  const folder = newFolder()
  // It refuses to run as root, and its user must be able to read its files.
  chmodSync(folder, 0o755)
  const [users, settings] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')]
  writeFileSync(users, `"${url.username}" "${url.password}"\n`)
  const ini = `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${poolMode}
`
  writeFileSync(settings, ini)
  const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...asWhom, settings], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  url.host = `127.0.0.1:${port}`
  try {
    await body(url.href)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

suite('PgBouncer in front of PostgreSQL', { skip: skipWithoutEngine || skipWithout('pgbouncer') }, () => {
  test('in session mode leads are stored', () =>
    withPgBouncer('session', async (url) => {
      // A pooler opens its first connection in its own time. The service itself would wait for it.
      await until('the pooler answers', () => migrate(url).then(() => true))
      const store = await openStore({ url })
      assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
      await store.close()
    }))

  test('in transaction mode the start is refused, and says why', () =>
    withPgBouncer('transaction', (url) =>
      until('the refusal', async () => {
        const refusal = /DATABASE_URL points to a pooler in transaction mode; session mode is required/
        await assert.rejects(migrate(url), refusal)
        return true
      }),
    ))
})
