import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate, openStore } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { makeLead } from './leads.ts'

for (const poolMode of ['session', 'transaction']) {
  test(`behind PgBouncer in ${poolMode} mode, leads are stored, or the start is refused and says why`, {
    skip: skipWithoutEngine || skipWithout('pgbouncer'),
  }, async (t) => {
    const url = new URL(await postgresUrl())
    const [port] = await freePorts(1)
    const folder = newFolder()
    // It refuses to run as root, and its user must be able to read its files.
    chmodSync(folder, 0o755)
    const settings = join(folder, 'pgbouncer.ini')
    writeFileSync(join(folder, 'users.txt'), `"${url.username}" "${url.password}"`)
    writeFileSync(
      settings,
      `[databases]\n* = host=${url.hostname} port=${url.port}\n[pgbouncer]\n${[
        ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', `pool_mode = ${poolMode}`],
        ...['auth_type = trust', `auth_file = ${join(folder, 'users.txt')}`],
      ].join('\n')}`,
    )
    const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    const child = spawn('pgbouncer', [...asWhom, settings], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    t.after(async () => {
      child.kill('SIGKILL')
      await ended
    })
    url.host = `127.0.0.1:${port}`
    // A pooler opens its first connection in its own time. The service itself would wait for it.
    const refusal = /DATABASE_URL points to a pooler in transaction mode; session mode is required/
    if (poolMode === 'transaction') {
      await until('the refusal', () => assert.rejects(migrate(url.href), refusal).then(() => true))
      return
    }
    await until('the pooler answers', () => migrate(url.href).then(() => true))
    const store = await openStore({ url: url.href })
    assert.deepEqual(await store.add(makeLead()), { kind: 'created' })
    await store.close()
  })
}
