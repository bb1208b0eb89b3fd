import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Http2Session, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { closeWhenIdle } from '../../src/rpc/idle-session.ts'
import { until } from '../support/until.ts'

/** A session between a client and a server in this process. Both are closed at the end. */
async function openSession(): Promise<{ session: ServerHttp2Session; client: Http2Session } & AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [[session]] = await Promise.all([once(server, 'session'), once(client, 'remoteSettings')])
  const end = async () => {
    client.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { session, client, [Symbol.asyncDispose]: end }
}

suite('closeWhenIdle', () => {
  test('closes an idle session', async () => {
    await using opened = await openSession()
    const goaway = once(opened.client, 'goaway')
    closeWhenIdle(opened.session, 20)
    await goaway
  })

  test('keeps a session with any traffic', async (context) => {
    await using opened = await openSession()
    context.mock.timers.enable({ apis: ['setInterval'] })
    closeWhenIdle(opened.session, 300_000)
    for (let count = 0; count < 5; count++) {
      context.mock.timers.tick(300_000)
      assert.equal(opened.session.closed, false)
      await new Promise((resolve) => opened.client.ping(resolve))
    }
    context.mock.timers.tick(600_000)
    assert.equal(opened.session.closed, true)
  })

  test('does not keep the session of a disconnected caller in memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const open = async () => {
      await using opened = await openSession()
      closeWhenIdle(opened.session, 300_000)
      return opened.session.constructor as new () => ServerHttp2Session
    }
    const kind = await open()
    for (let count = 0; count < 9; count++) await open()
    await until('they are gone', () => {
      collect()
      return queryObjects(kind, { format: 'count' }) <= 1
    })
  })
})
